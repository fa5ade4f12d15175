/*
 * picture.h: what becomes of the pixels: a checksum and a PNG.
 *
 * A picture is height rows of width pixels of three bytes, red first, without
 * gaps.
 */
#ifndef RAYTRACER_PICTURE_H
#define RAYTRACER_PICTURE_H

#include <stdbool.h>
#include <stdint.h>
#include "apps/app.h"

/* picture_checksum: FNV-1a, 64 bits, of the pixels. */
uint64_t picture_checksum(const unsigned char *pixels, uint32_t width,
			  uint32_t height);

/*
 * picture_write: writes a PNG of 8 bits a colour, replacing what is at @path.
 * False with the reason in @why; a file that was begun is then removed.
 */
bool picture_write(const char *path, const unsigned char *pixels,
		   uint32_t width, uint32_t height, struct app_why *why);

#endif
