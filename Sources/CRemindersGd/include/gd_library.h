#ifndef GD_LIBRARY_H
#define GD_LIBRARY_H

// libgd, and the libpng that it needs itself, loaded when the first image is decoded. Linked, they
// and the twenty libraries below them would take a tenth of the time until the first screen, also
// where there is no image.

#if !__has_include(<gd.h>) || !__has_include(<png.h>)
#error "libgd is missing. Install it: apt install libgd-dev (Debian)."
#endif
#include <gd.h>
#include <png.h>

#define GD_LIBRARY_FUNCTIONS(each) \
  each(gdFree) \
  each(gdImageCopyResampled) \
  each(gdImageCreateFromGifPtr) \
  each(gdImageCreateFromJpegPtrEx) \
  each(gdImageCreateFromWebpPtr) \
  each(gdImageCreatePaletteFromTrueColor) \
  each(gdImageCreateTrueColor) \
  each(gdImageDestroy) \
  each(gdImageFilledEllipse) \
  each(gdImageFilledPolygon) \
  each(gdImageFilledRectangle) \
  each(gdImageFlipBoth) \
  each(gdImageFlipHorizontal) \
  each(gdImageFlipVertical) \
  each(gdImageJpegPtr) \
  each(gdImageLine) \
  each(gdImagePngPtr) \
  each(gdImageRotateInterpolated) \
  each(gdSetErrorMethod) \
  each(png_image_begin_read_from_memory) \
  each(png_image_finish_read) \
  each(png_image_free)

/// The functions that are used, by their own names.
typedef struct {
#define GD_LIBRARY_MEMBER(name) __typeof__(name) *_Nonnull name;
  GD_LIBRARY_FUNCTIONS(GD_LIBRARY_MEMBER)
#undef GD_LIBRARY_MEMBER
} gd_library;

/// Loads a shared library and fills in its functions; false when it is not there or lacks one.
_Bool gd_library_load(const char *_Nonnull file, gd_library *_Nonnull library);

#endif
