#define _GNU_SOURCE
#include "shim.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

// Everything that handlers touch is set up before it is armed, and they call only what POSIX lists
// as safe in handlers: write, read, lseek, dup2, tcsetattr, tcflush, sigaction, raise.

static const int crash_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE};
static const int reported_signals[] = {SIGWINCH, SIGCONT, SIGTERM, SIGHUP, SIGINT, SIGQUIT,
    SIGUSR1};
enum { CRASH_COUNT = sizeof crash_signals / sizeof crash_signals[0] };
enum { REPORTED_COUNT = sizeof reported_signals / sizeof reported_signals[0] };

static struct sigaction earlier_actions[CRASH_COUNT];
static int report_read = -1;
static int report_write = -1;
static volatile sig_atomic_t requested_end;

static volatile sig_atomic_t is_armed;
static int tty = -1;
static struct termios tty_modes;
static char restore_sequence[256];
static size_t restore_length;

static int stderr_kept = -1;
static int stderr_log = -1;
static off_t stderr_start;

bool cn_write(int descriptor, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t count = write(descriptor, bytes, length);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        bytes += count;
        length -= (size_t)count;
    }
    return true;
}

void cn_stderr_divert(int log) {
    if (stderr_kept >= 0) return;
    stderr_kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (stderr_kept < 0) return;
    stderr_log = log;
    stderr_start = lseek(log, 0, SEEK_END);
    dup2(log, STDERR_FILENO);
}

// What was written meanwhile is repeated, at most its last 4 kB, where a reason for ending stands.
void cn_stderr_restore(void) {
    if (stderr_kept < 0) return;
    dup2(stderr_kept, STDERR_FILENO);
    close(stderr_kept);
    stderr_kept = -1;
    char text[4096];
    off_t end = lseek(stderr_log, 0, SEEK_END);
    off_t start = end - (off_t)sizeof text > stderr_start ? end - (off_t)sizeof text : stderr_start;
    if (end <= start || lseek(stderr_log, start, SEEK_SET) < 0) return;
    ssize_t count = read(stderr_log, text, sizeof text);
    if (count > 0) cn_write(STDERR_FILENO, text, (size_t)count);
}

static void restore_terminal(void) {
    if (!is_armed) return;
    is_armed = 0;
    cn_write(tty, restore_sequence, restore_length);
    tcsetattr(tty, TCSANOW, &tty_modes);
    tcflush(tty, TCIFLUSH);
    cn_stderr_restore();
}

// Another thread may be drawing. A write that it has begun ends before the next one, as terminals
// take one at a time; what it would write then goes nowhere: the end of a pipe that is read.
static void leave_terminal(void) {
    if (is_armed) dup2(report_read, STDOUT_FILENO);
    restore_terminal();
}

static void set_default(int signal_number) {
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(signal_number, &action, NULL);
}

// The default action takes over when this handler returns. Swift's own handler would ask the person
// at the terminal what to do next.
static void handle_crash(int signal_number) {
    leave_terminal();
    set_default(signal_number);
    raise(signal_number);
}

static bool ends_process(int signal_number) {
    return signal_number == SIGTERM || signal_number == SIGHUP || signal_number == SIGINT
        || signal_number == SIGQUIT;
}

// A second request to end means that the program did not act on the first: do it here. While
// another program has the terminal, Ctrl-C is meant for that one and does not count.
static void handle_report(int signal_number) {
    int saved = errno;
    if (ends_process(signal_number) && is_armed && requested_end++ > 0) {
        leave_terminal();
        set_default(signal_number);
        raise(signal_number);
    }
    char byte = (char)signal_number;
    // A full pipe holds enough to wake the program up.
    if (write(report_write, &byte, 1) < 0) errno = saved;
    errno = saved;
}

static void catch(int signal_number, void (*handler)(int), struct sigaction *earlier) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, earlier);
}

// A stack overflow leaves no stack for the handler, so it gets one of its own.
static void provide_stack(void) {
    static char stack[65536];
    stack_t current;
    if (sigaltstack(NULL, &current) == 0 && (current.ss_flags & SS_DISABLE)) {
        stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
        sigaltstack(&own, NULL);
    }
}

int cn_guard_install(void) {
    if (report_read >= 0) return report_read;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return -1;
    report_read = ends[0];
    report_write = ends[1];
    provide_stack();
    for (int index = 0; index < CRASH_COUNT; index++)
        catch(crash_signals[index], handle_crash, &earlier_actions[index]);
    for (int index = 0; index < REPORTED_COUNT; index++)
        catch(reported_signals[index], handle_report, NULL);
    cn_guard_catch_stop();
    static bool is_registered;
    if (!is_registered) is_registered = atexit(restore_terminal) == 0;
    return report_read;
}

void cn_guard_remove(void) {
    if (report_read < 0) return;
    for (int index = 0; index < CRASH_COUNT; index++)
        sigaction(crash_signals[index], &earlier_actions[index], NULL);
    for (int index = 0; index < REPORTED_COUNT; index++) set_default(reported_signals[index]);
    set_default(SIGTSTP);
    close(report_read);
    close(report_write);
    report_read = report_write = -1;
}

bool cn_guard_remember(int descriptor) {
    tty = descriptor;
    return tcgetattr(tty, &tty_modes) == 0;
}

void cn_guard_arm(const char *sequence, size_t length) {
    restore_length = length < sizeof restore_sequence ? length : sizeof restore_sequence;
    memcpy(restore_sequence, sequence, restore_length);
    requested_end = 0;
    is_armed = 1;
}

void cn_guard_disarm(void) { is_armed = 0; }

void cn_guard_catch_stop(void) { catch(SIGTSTP, handle_report, NULL); }

void cn_guard_let_stop(void) { set_default(SIGTSTP); }

void cn_guard_stop(int signal_number) {
    set_default(signal_number);
    kill(0, signal_number);
}

void cn_guard_die(int signal_number) {
    set_default(signal_number);
    // Dispatch blocks signals on its threads.
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, signal_number);
    pthread_sigmask(SIG_UNBLOCK, &only, NULL);
    raise(signal_number);
}
