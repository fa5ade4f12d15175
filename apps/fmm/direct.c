#include <math.h>

#include "apps/fmm/fmm.h"

#define SAME_POINT 1e-200 /* a squared distance, as in pairs.c */

static struct fmm_field
field_at(const struct fmm_body *at, const struct fmm_body *bodies, size_t count)
{
	struct fmm_field field = { 0 };

	for (size_t i = 0; i < count; i++) {
		double x = bodies[i].x - at->x, y = bodies[i].y - at->y;
		double z = bodies[i].z - at->z;
		double square = x * x + y * y + z * z, term;

		if (!(square > SAME_POINT))
			continue;
		term = bodies[i].charge / sqrt(square);
		field.potential += term;
		field.x += term / square * x;
		field.y += term / square * y;
		field.z += term / square * z;
	}
	return field;
}

void
fmm_direct(const struct fmm_body *bodies, size_t count, const uint32_t *which,
	   size_t which_count, struct fmm_field *fields)
{
	for (size_t i = 0; i < which_count; i++)
		fields[i] = field_at(&bodies[which[i]], bodies, count);
}
