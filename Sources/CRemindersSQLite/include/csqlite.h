// How SQLite is set up in a program that links this: see configure.c. There is nothing to call.
#ifndef CSQLITE_H
#define CSQLITE_H

#endif
