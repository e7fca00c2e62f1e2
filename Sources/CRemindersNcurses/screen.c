#define _GNU_SOURCE
#define NCURSES_WIDECHAR 1
#include "shim.h"
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#if !__has_include(<ncurses.h>)
#error "ncurses is missing. Install it: apt install libncurses-dev (Debian)."
#endif
#include <ncurses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

static SCREEN *screen;
static FILE *input_file;
static FILE *output_file;
static int terminal = -1;

// A file in memory that ncurses writes to while it paints, and what was in it last.
static int canvas = -1;
static char *painted;
static size_t painted_room;

bool cn_use_locale(const char *name) {
    setlocale(LC_CTYPE, name);
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static void close_files(void) {
    if (input_file) fclose(input_file);
    if (output_file) fclose(output_file);
    input_file = output_file = NULL;
}

bool cn_screen_open(const char *term, int input, int output) {
    terminal = output;
    input_file = fdopen(fcntl(input, F_DUPFD_CLOEXEC, 3), "r");
    output_file = fdopen(fcntl(output, F_DUPFD_CLOEXEC, 3), "w");
    if (!input_file || !output_file) {
        close_files();
        return false;
    }
    screen = newterm(term, output_file, input_file);
    if (!screen) {
        close_files();
        return false;
    }
    set_term(screen);
    raw();
    noecho();
    nonl();
    // Only so that the terminal sends the sequences that KeyDecoder knows: keys are read past
    // ncurses (decision 15 in Architecture.md).
    keypad(stdscr, TRUE);
    // So its look-ahead would only delay painting.
    typeahead(-1);
    if (has_colors()) {
        start_color();
        use_default_colors();
    }
    return true;
}

void cn_screen_close(void) {
    if (!screen) return;
    if (!isendwin()) endwin();
    delscreen(screen);
    screen = NULL;
    close_files();
    if (canvas >= 0) close(canvas);
    canvas = -1;
    free(painted);
    painted = NULL;
    painted_room = 0;
}

void cn_screen_enter(void) {
    reset_prog_mode();
    clearok(curscr, TRUE);
    refresh();
}

void cn_screen_leave(void) { endwin(); }

bool cn_terminal_size(int descriptor, int *columns, int *rows) {
    struct winsize size;
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) return false;
    if (size.ws_col == 0 || size.ws_row == 0) return false;
    *columns = size.ws_col;
    *rows = size.ws_row;
    return true;
}

bool cn_terminal_cell(int descriptor, int *width, int *height) {
    struct winsize size;
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) return false;
    if (size.ws_col == 0 || size.ws_row == 0) return false;
    *width = size.ws_xpixel / size.ws_col;
    *height = size.ws_ypixel / size.ws_row;
    return *width > 0 && *height > 0;
}

void cn_screen_resize(int columns, int rows) {
    if (is_term_resized(rows, columns)) resizeterm(rows, columns);
}

int cn_screen_colors(void) { return has_colors() ? COLORS : 1; }

int cn_screen_pair(int foreground, int background) {
    if (foreground == -1 && background == -1) return 0;
    int pair = alloc_pair(foreground, background);
    return pair > 0 ? pair : 0;
}

void cn_screen_forget_pairs(void) { reset_color_pairs(); }

static attr_t ncurses_attributes(int attributes) {
    return (attributes & CN_BOLD ? A_BOLD : 0) | (attributes & CN_DIM ? A_DIM : 0)
        | (attributes & CN_UNDERLINE ? A_UNDERLINE : 0)
        | (attributes & CN_REVERSE ? A_REVERSE : 0) | (attributes & CN_ITALIC ? A_ITALIC : 0);
}

void cn_screen_put(
    int column, int row, const uint32_t *scalars, int count, int attributes, int pair) {
    wchar_t text[CCHARW_MAX + 1] = {0};
    for (int index = 0; index < count && index < CCHARW_MAX; index++)
        text[index] = (wchar_t)scalars[index];
    cchar_t cell;
    if (setcchar(&cell, text, ncurses_attributes(attributes), 0, &pair) == OK)
        mvadd_wch(row, column, &cell);
}

void cn_screen_clear(void) { erase(); }

void cn_screen_clear_row(int row) {
    move(row, 0);
    clrtoeol();
}

static void show(int column, int row) {
    curs_set(column >= 0);
    if (column >= 0) move(row, column);
    refresh();
}

// What was written to the canvas, which is empty afterwards.
static size_t take_painted(void) {
    off_t length = lseek(canvas, 0, SEEK_CUR);
    if (length <= 0) return 0;
    if ((size_t)length > painted_room) {
        char *larger = realloc(painted, (size_t)length);
        if (!larger) return 0;
        painted = larger;
        painted_room = (size_t)length;
    }
    ssize_t count = pread(canvas, painted, (size_t)length, 0);
    lseek(canvas, 0, SEEK_SET);
    return count > 0 ? (size_t)count : 0;
}

// ncurses writes whenever its buffer is full, be it in the middle of a row: for as long as it
// paints, its descriptor stands for the canvas.
const char *cn_screen_paint(int column, int row, size_t *length) {
    *length = 0;
    if (canvas < 0) canvas = memfd_create("screen", MFD_CLOEXEC);
    int own = fileno(output_file);
    if (canvas < 0 || dup3(canvas, own, O_CLOEXEC) < 0) {
        show(column, row);
        return NULL;
    }
    show(column, row);
    dup3(terminal, own, O_CLOEXEC);
    *length = take_painted();
    return painted;
}

void cn_screen_redraw(void) { clearok(curscr, TRUE); }

void cn_screen_redraw_rows(int first, int count) { wredrawln(stdscr, first, count); }

int cn_screen_read(
    int column, int row, uint32_t scalars[5], int *attributes, int *foreground, int *background) {
    wnoutrefresh(stdscr);
    cchar_t cell;
    if (mvwin_wch(newscr, row, column, &cell) != OK) return 0;
    wchar_t text[CCHARW_MAX + 1] = {0};
    attr_t bits = 0;
    short unused = 0;
    int pair = 0;
    if (getcchar(&cell, text, &bits, &unused, &pair) != OK) return 0;
    *attributes = (bits & A_BOLD ? CN_BOLD : 0) | (bits & A_DIM ? CN_DIM : 0)
        | (bits & A_UNDERLINE ? CN_UNDERLINE : 0) | (bits & A_REVERSE ? CN_REVERSE : 0)
        | (bits & A_ITALIC ? CN_ITALIC : 0);
    *foreground = *background = -1;
    if (pair > 0) extended_pair_content(pair, foreground, background);
    int count = 0;
    while (count < CCHARW_MAX && text[count]) {
        scalars[count] = (uint32_t)text[count];
        count++;
    }
    return count;
}

const char *cn_terminal_string(const char *capability) {
    char *string = tigetstr(capability);
    return string == (char *)-1 ? NULL : string;
}

bool cn_terminal_has_clipboard(void) {
    return cn_terminal_string("Ms") != NULL;
}

bool cn_terminal_has_title(void) {
    return tigetflag("XT") == 1 || cn_terminal_string("tsl") != NULL;
}
