#include "curl_library.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>

typedef int (*set_option)(void *handle, int option, ...);
typedef int (*get_info)(void *handle, int info, ...);

// OpenSSL, if that is what it speaks TLS with, frees what it has when the process exits, under the
// hands of threads that still use it: OPENSSL_INIT_NO_ATEXIT of OPENSSL_init_crypto(3). What the
// process itself did before with OpenSSL stays as it is.
static void leave_openssl_at_exit(void *handle) {
  int (*init)(uint64_t options, const void *settings) =
      (__typeof__(init))dlsym(handle, "OPENSSL_init_crypto");
  if (init != NULL) init(0x00080000, NULL);
}

// It is never unloaded: the functions are called until the process ends.
const curl_library *curl_library_load(const char *file) {
  static curl_library library;
  void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) return NULL;
  leave_openssl_at_exit(handle);
  void *function;
#define FIND(name) \
  function = dlsym(handle, #name); \
  if (function == NULL) return NULL; \
  library.name = (__typeof__(library.name))function;
  FIND(curl_global_init)
  FIND(curl_easy_init)
  FIND(curl_easy_reset)
  FIND(curl_easy_cleanup)
  FIND(curl_easy_setopt)
  FIND(curl_easy_getinfo)
  FIND(curl_easy_perform)
  FIND(curl_easy_strerror)
  FIND(curl_slist_append)
  FIND(curl_slist_free_all)
#undef FIND
  return &library;
}

int curl_set_number(const curl_library *library, void *handle, int option, long value) {
  return ((set_option)library->curl_easy_setopt)(handle, option, value);
}

int curl_set_size(const curl_library *library, void *handle, int option, long long value) {
  return ((set_option)library->curl_easy_setopt)(handle, option, value);
}

int curl_set_pointer(
    const curl_library *library, void *handle, int option, const void *value) {
  return ((set_option)library->curl_easy_setopt)(handle, option, value);
}

int curl_set_take(const curl_library *library, void *handle, int option, curl_take value) {
  return ((set_option)library->curl_easy_setopt)(handle, option, value);
}

long curl_number(const curl_library *library, void *handle, int info) {
  long value = 0;
  ((get_info)library->curl_easy_getinfo)(handle, info, &value);
  return value;
}

// The libraries for TLS write without MSG_NOSIGNAL. A signal that this thread has caused is taken
// away before the thread can get it.
int curl_perform(const curl_library *library, void *handle) {
  sigset_t pipe, before, pending;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  sigpending(&pending);
  int was_pending = sigismember(&pending, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, &before);
  int result = library->curl_easy_perform(handle);
  struct timespec now = {0, 0};
  if (!was_pending) sigtimedwait(&pipe, NULL, &now);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return result;
}
