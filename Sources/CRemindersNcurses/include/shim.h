#ifndef CNCURSES_SHIM_H
#define CNCURSES_SHIM_H

// The narrow part of C that the Terminal room needs. ncurses' own header is not exposed: its
// globals and macros cannot be used from Swift 6, and nothing else is wanted from it.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// MARK: Width (width.c)

// How many cells ncurses gives a scalar in a UTF-8 locale, whatever the process's locale is;
// -1 when it cannot be shown.
int cn_scalar_columns(uint32_t scalar);

// MARK: Screen (screen.c). ncurses is not thread-safe: one thread at a time, and one screen.

enum {
    CN_BOLD = 1,
    CN_DIM = 2,
    CN_UNDERLINE = 4,
    CN_REVERSE = 8,
    CN_ITALIC = 16,
};

// Sets the locale of characters ("" for the environment's) and says whether it is UTF-8.
bool cn_use_locale(const char *name);

// Opens the screen for the terminal type `term` on two descriptors. False when it is unknown or
// cannot move its cursor.
bool cn_screen_open(const char *term, int input, int output);
void cn_screen_close(void);

// Takes the screen, in raw mode; leaves it as it was found.
void cn_screen_enter(void);
void cn_screen_leave(void);

// The terminal's size by the descriptor, or false; and telling ncurses about one.
bool cn_terminal_size(int descriptor, int *columns, int *rows);
// The extent of a cell in pixels, or false when the kernel was not told.
bool cn_terminal_cell(int descriptor, int *width, int *height);
void cn_screen_resize(int columns, int rows);

// How many colours the terminal has, 1 for none.
int cn_screen_colors(void);
// The number for a pair of colours, -1 being the terminal's own; 0 when there is no room for it.
int cn_screen_pair(int foreground, int background);

// Gives all pairs back; what was painted with them is painted anew.
void cn_screen_forget_pairs(void);

// Empties every cell, or those of a row.
void cn_screen_clear(void);
void cn_screen_clear_row(int row);
// Puts a base scalar and its marks into a cell.
void cn_screen_put(
    int column, int row, const uint32_t *scalars, int count, int attributes, int pair);
// What to write to the terminal to show what was put, with the cursor at a place, or hidden when
// `column` is -1. The bytes stay until the next call. Without memory for them they are written.
const char *cn_screen_paint(int column, int row, size_t *length);
// Makes the next cn_screen_paint paint every cell.
void cn_screen_redraw(void);
// The same for some rows.
void cn_screen_redraw_rows(int first, int count);

// For tests: reads what the next refresh shows; returns the number of scalars.
int cn_screen_read(
    int column, int row, uint32_t scalars[5], int *attributes, int *foreground, int *background);

// A string of the terminal's description ("rmcup"), or NULL.
const char *cn_terminal_string(const char *capability);
// Whether the terminal's description has a sequence for the clipboard.
bool cn_terminal_has_clipboard(void);
// Whether the terminal's window has a title.
bool cn_terminal_has_title(void);

// MARK: Guard (guard.c)

// Installs the handlers. Signals that the program has to act on arrive as single bytes on the
// returned descriptor; crashes restore the terminal before they end the process. Returns -1 when
// there are no descriptors left.
int cn_guard_install(void);
// Gives all signals back to what handled them before.
void cn_guard_remove(void);

// From now on, a crash or an exit writes `sequence` to `tty`, restores the modes that
// cn_guard_remember kept, and gives back stderr.
bool cn_guard_remember(int tty);
void cn_guard_arm(const char *sequence, size_t length);
void cn_guard_disarm(void);

// Sends stderr to a descriptor that can be read; gives it back, with what was written meanwhile.
void cn_stderr_divert(int log);
void cn_stderr_restore(void);

// Stops the process group as Ctrl-Z does (SIGTSTP), or the kernel a job without the terminal
// (SIGTTOU); the byte SIGCONT tells when it is over.
void cn_guard_stop(int signal_number);
// Catches SIGTSTP again after cn_guard_stop or cn_guard_let_stop; lets it stop the process.
void cn_guard_catch_stop(void);
void cn_guard_let_stop(void);
// Ends the process by a signal's default action, so that its parent sees which.
void cn_guard_die(int signal_number);

// MARK: Programs (program.c)

// Runs a program in this process group and waits for its end. Returns an error number, or 0 and its
// exit status (128 and the signal's number when one ended it).
int cn_run(char *const arguments[], int *status);

// Writes all bytes, through interruptions; false when the descriptor fails.
bool cn_write(int descriptor, const char *bytes, size_t length);

#endif
