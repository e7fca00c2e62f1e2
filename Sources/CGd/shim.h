#include <gd.h>
#include <png.h>
