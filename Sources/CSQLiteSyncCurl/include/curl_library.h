#ifndef SQLITESYNC_CURL_LIBRARY_H
#define SQLITESYNC_CURL_LIBRARY_H

// libcurl, loaded when the first request is made: who has no cloud behind HTTP does not need it,
// and nobody needs its headers to build. Numbers and functions are those of its stable interface
// (https://curl.se/libcurl/c/libcurl-easy.html).

#include <stddef.h>

/// The functions that are used, by their own names.
typedef struct {
  int (*_Nonnull curl_global_init)(long flags);
  void *_Nullable (*_Nonnull curl_easy_init)(void);
  void (*_Nonnull curl_easy_reset)(void *_Nonnull handle);
  void (*_Nonnull curl_easy_cleanup)(void *_Nonnull handle);
  void *_Nonnull curl_easy_setopt;
  void *_Nonnull curl_easy_getinfo;
  int (*_Nonnull curl_easy_perform)(void *_Nonnull handle);
  const char *_Nonnull (*_Nonnull curl_easy_strerror)(int code);
  void *_Nullable (*_Nonnull curl_slist_append)(void *_Nullable list, const char *_Nonnull text);
  void (*_Nonnull curl_slist_free_all)(void *_Nullable list);
} curl_library;

/// Takes bytes that have come; returns how many it took: fewer end the transfer.
typedef size_t (*curl_take)(
    const void *_Nonnull bytes, size_t size, size_t count, void *_Nonnull context);

/// Loads a shared library and returns its functions; NULL when it is not there or lacks one.
///
/// They stay where they are until the process ends. To be called by one thread.
const curl_library *_Nullable curl_library_load(const char *_Nonnull file);

// Swift cannot call functions with arguments of any number and type.

/// Sets an option that is a number.
int curl_set_number(
    const curl_library *_Nonnull library, void *_Nonnull handle, int option, long value);
/// Sets an option that is a size of 64 bits.
int curl_set_size(
    const curl_library *_Nonnull library, void *_Nonnull handle, int option, long long value);
/// Sets an option that is a text or other memory.
int curl_set_pointer(
    const curl_library *_Nonnull library, void *_Nonnull handle, int option,
    const void *_Nullable value);
/// Sets an option that is a function which takes bytes.
int curl_set_take(
    const curl_library *_Nonnull library, void *_Nonnull handle, int option,
    curl_take _Nonnull value);
/// What is known of the last transfer, a number.
long curl_number(const curl_library *_Nonnull library, void *_Nonnull handle, int info);
/// Carries a transfer out; a connection that was closed does not end this process by a signal.
int curl_perform(const curl_library *_Nonnull library, void *_Nonnull handle);

#endif
