/*
 * fuzz_nff.c: arbitrary bytes are either a scene that can be traced, or are
 * refused with one line.
 */
#include <stdlib.h>
#include <string.h>
#include "apps/raytracer/nff.h"
#include "apps/raytracer/trace.h"
#include "tests/fuzz/fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct app_why why = { "" };
	struct scene *scene = nff_parse("fuzz", (const char *)data, size, &why);
	unsigned char rgb[3];

	if (!scene) {
		/* The message is one line, and starts with the file's name. */
		if (strncmp(why.text, "fuzz:", 5) || strchr(why.text, '\n'))
			abort();
		return 0;
	}
	require(scene->width && scene->width <= SCENE_MOST_SIZE);
	require(scene->height && scene->height <= SCENE_MOST_SIZE);
	trace_pixel(scene, scene->width / 2, scene->height / 2, rgb);
	trace_pixel(scene, 0, 0, rgb);
	free(scene);
	return 0;
}
