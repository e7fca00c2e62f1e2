#include "gd_library.h"

#include <dlfcn.h>
#include <stddef.h>

// It is never unloaded: the functions are called until the process ends.
_Bool gd_library_load(const char *file, gd_library *library) {
  void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) return 0;
  void *function;
#define GD_LIBRARY_FIND(name) \
  function = dlsym(handle, #name); \
  if (function == NULL) return 0; \
  library->name = (__typeof__(library->name))function;
  GD_LIBRARY_FUNCTIONS(GD_LIBRARY_FIND)
#undef GD_LIBRARY_FIND
  return 1;
}
