#define _GNU_SOURCE
#include "posix.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/close_range.h>
#include <sys/prctl.h>
#endif

struct request {
  char *const *arguments;
  const int *streams;
  pid_t child;
  int error;
  bool is_answered;
};

// What is asked of the thread that starts children, one at a time.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct request *asked;

// In the child, between fork and exec: only what is safe in a handler of signals.
static void become(const struct request *request, pid_t parent, int report) {
  setpgid(0, 0);
#ifdef __linux__
  // The parent may have ended before it could have been told.
  if (prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && getppid() != parent) _exit(127);
#endif
  struct sigaction standard = {.sa_handler = SIG_DFL};
  for (int number = 1; number < NSIG; number++) sigaction(number, &standard, NULL);
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, NULL);
  for (int stream = 0; stream <= 2; stream++) {
    int file = request->streams[stream];
    if (file < 0) file = open("/dev/null", O_RDWR);
    if (file < 0 || dup2(file, stream) < 0) goto failed;
  }
#ifdef __linux__
  // Others than this library may have opened files without O_CLOEXEC.
  close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
#endif
  execvp(request->arguments[0], request->arguments);
failed:;
  int error = errno;
  if (write(report, &error, sizeof error) < 0) _exit(126);
  _exit(127);
}

static int start(struct request *request) {
  int report[2];
  if (pipe(report) != 0) return errno;
  for (int end = 0; end < 2; end++) fcntl(report[end], F_SETFD, FD_CLOEXEC);
  pid_t parent = getpid();
  pid_t child = fork();
  if (child == 0) become(request, parent, report[1]);
  int error = child < 0 ? errno : 0;
  close(report[1]);
  // Nothing comes when exec has closed the other end.
  if (child > 0 && read(report[0], &error, sizeof error) > 0) {
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
  }
  close(report[0]);
  request->child = child;
  return error;
}

static void *start_children(void *unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  for (;;) {
    while (asked == NULL || asked->is_answered) pthread_cond_wait(&changed, &mutex);
    asked->error = start(asked);
    asked->is_answered = true;
    pthread_cond_broadcast(&changed);
  }
}

// Linux ends a child with the thread that started it: this one lasts as long as the process.
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int thread_error;

static void make_thread(void) {
  sigset_t all, earlier;
  sigfillset(&all);
  // Signals are for threads that expect them.
  pthread_sigmask(SIG_SETMASK, &all, &earlier);
  pthread_t thread;
  thread_error = pthread_create(&thread, NULL, start_children, NULL);
  if (thread_error == 0) pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &earlier, NULL);
}

int cposix_start_child(char *const arguments[], const int streams[3], pid_t *child) {
  pthread_once(&once, make_thread);
  if (thread_error != 0) return thread_error;
  struct request request = {.arguments = arguments, .streams = streams};
  pthread_mutex_lock(&mutex);
  while (asked != NULL) pthread_cond_wait(&changed, &mutex);
  asked = &request;
  pthread_cond_broadcast(&changed);
  while (!request.is_answered) pthread_cond_wait(&changed, &mutex);
  asked = NULL;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
  *child = request.child;
  return request.error;
}
