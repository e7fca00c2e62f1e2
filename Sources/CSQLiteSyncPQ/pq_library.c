#include "pq_library.h"

#include <dlfcn.h>

// It is never unloaded: the functions are called until the process ends.
_Bool pq_library_load(const char *file, pq_library *library) {
  void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) return 0;
  void *function;
#define PQ_LIBRARY_FIND(type, name, parameters) \
  function = dlsym(handle, #name); \
  if (function == NULL) return 0; \
  library->name = (__typeof__(library->name))function;
  PQ_LIBRARY_FUNCTIONS(PQ_LIBRARY_FIND)
#undef PQ_LIBRARY_FIND
  return 1;
}
