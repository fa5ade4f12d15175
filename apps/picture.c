#include "apps/picture.h"

#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

uint64_t
picture_checksum(const unsigned char *pixels, uint32_t width, uint32_t height)
{
	uint64_t hash = 0xcbf29ce484222325, bytes = 3ull * width * height, i;

	for (i = 0; i < bytes; i++)
		hash = (hash ^ pixels[i]) * 0x100000001b3;
	return hash;
}

/* Removes the unfinished file, unless @path is a device or a pipe. */
static void
remove_half(const char *path)
{
	struct stat stat;

	if (!lstat(path, &stat) && S_ISREG(stat.st_mode))
		unlink(path);
}

bool
picture_write(const char *path, const unsigned char *pixels, uint32_t width,
	      uint32_t height, struct app_why *why)
{
	png_image image = { .version = PNG_IMAGE_VERSION,
			    .width = width,
			    .height = height,
			    .format = PNG_FORMAT_RGB };
	FILE *file = fopen(path, "wb");
	bool written;

	if (!file)
		return app_because(why, "%s: %s", path, strerror(errno));
	written = png_image_write_to_stdio(&image, file, 0, pixels,
					   3 * (png_int_32)width, NULL);
	if (!written)
		app_because(why, "%s: %s", path, image.message);
	if (fclose(file) && written) {
		app_because(why, "%s: %s", path, strerror(errno));
		written = false;
	}
	if (!written)
		remove_half(path);
	return written;
}
