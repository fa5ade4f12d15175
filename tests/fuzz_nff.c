/*
 * fuzz_nff.c: any bytes are a scene or a complaint, and a scene can be traced.
 */
#include <stdlib.h>
#include <string.h>
#include "apps/raytracer/nff.h"
#include "apps/raytracer/trace.h"
#include "tests/fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct app_why why = { "" };
	struct scene *scene = nff_parse("fuzz", (const char *)data, size, &why);
	unsigned char rgb[3];

	if (!scene) {
		/* It starts with the place, and is one line. */
		if (strncmp(why.text, "fuzz:", 5) || strchr(why.text, '\n'))
			abort();
		return 0;
	}
	trace_pixel(scene, scene->width / 2, scene->height / 2, rgb);
	trace_pixel(scene, 0, 0, rgb);
	free(scene);
	return 0;
}
