#define _GNU_SOURCE
#include "shim.h"
#include <locale.h>
#include <pthread.h>
#include <wchar.h>

static locale_t utf8_locale;
static pthread_once_t utf8_once = PTHREAD_ONCE_INIT;

// C.UTF-8 is built into glibc 2.35 and newer, so this does not depend on installed locales.
static void open_utf8_locale(void) { utf8_locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", 0); }

int cn_scalar_columns(uint32_t scalar) {
    pthread_once(&utf8_once, open_utf8_locale);
    if (utf8_locale == 0) return wcwidth((wchar_t)scalar);
    locale_t previous = uselocale(utf8_locale);
    int columns = wcwidth((wchar_t)scalar);
    uselocale(previous);
    return columns;
}
