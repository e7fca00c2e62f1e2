#if !__has_include(<nettle/sha2.h>)
#error "Nettle is missing. Install it: apt install nettle-dev (Debian)."
#endif
#include <nettle/sha1.h>
#include <nettle/sha2.h>
