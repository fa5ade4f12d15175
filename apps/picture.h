/*
 * picture.h: the checksum of a picture, and PNG files.
 *
 * A picture is an array of @height rows. A row has @width pixels, and a pixel
 * has three bytes: red, green, blue. There are no gaps.
 */
#ifndef PICTURE_H
#define PICTURE_H

#include <stdbool.h>
#include <stdint.h>
#include "apps/app.h"

/* picture_checksum: the 64-bit FNV-1a hash of the pixels. */
uint64_t picture_checksum(const unsigned char *pixels, uint32_t width,
			  uint32_t height);

/*
 * picture_write: writes a PNG file with 8 bits a colour, and replaces a file at
 * @path. Returns false, with the reason in @why, if that fails; then it has
 * removed an unfinished file.
 */
bool picture_write(const char *path, const unsigned char *pixels,
		   uint32_t width, uint32_t height, struct app_why *why);

#endif
