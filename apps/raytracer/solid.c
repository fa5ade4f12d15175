#include "apps/raytracer/solid.h"

#include <stdbool.h>
#include <stddef.h>

static uint32_t
side(bool inside)
{
	return inside ? SHAPE_BACK : SHAPE_FRONT;
}

const char *
solid_sphere(struct shape *shape, struct vec centre, double radius)
{
	if (fabs(radius) < SOLID_LEAST)
		return "a sphere of radius 0";
	*shape = (struct shape){
		.kind = SHAPE_SPHERE,
		.sides = side(radius < 0),
		.sphere = { .centre = centre, .radius = fabs(radius) },
	};
	return NULL;
}

const char *
solid_cone(struct shape *shape, struct vec base, double base_radius,
	   struct vec apex, double apex_radius)
{
	struct vec up = vec_sub(apex, base);
	double height = vec_length(up);
	double wide = fabs(base_radius), top = fabs(apex_radius);

	if (height < SOLID_LEAST)
		return "a cone of height 0";
	if (fmax(wide, top) < SOLID_LEAST)
		return "a cone whose radii are both 0";
	if (base_radius * apex_radius < 0)
		return "a cone whose radii have different signs";
	*shape = (struct shape){
		.kind = SHAPE_CONE,
		.sides = side(base_radius < 0 || apex_radius < 0),
		.cone = { .base = base,
			  .axis = vec_unit(up),
			  .height = height,
			  .radius = wide,
			  .slope = (top - wide) / height },
	};
	return NULL;
}

/*
 * The polygon's normal, with twice the polygon's area as its length: the sum
 * over a fan of triangles. NFF suggests the normal of the first three corners,
 * but these may lie on a line.
 */
static struct vec
fan_normal(const struct vec *corners, uint32_t count)
{
	struct vec sum = { 0, 0, 0 };

	for (uint32_t i = 1; i + 1 < count; i++)
		sum = vec_add(sum,
			      vec_cross(vec_sub(corners[i], corners[0]),
					vec_sub(corners[i + 1], corners[0])));
	return sum;
}

const char *
solid_polygon(struct shape *shape, const struct vec *corners, uint32_t first,
	      uint32_t count)
{
	struct vec normal = fan_normal(corners, count);

	if (vec_length(normal) < SOLID_LEAST * SOLID_LEAST)
		return "a polygon without area";
	normal = vec_unit(normal);
	*shape = (struct shape){
		.kind = SHAPE_POLYGON,
		.sides = side(false),
		.polygon = { .normal = normal,
			     .distance = vec_dot(normal, corners[0]),
			     .first = first,
			     .count = count,
			     .axis = vec_longest(vec_abs(normal)) },
	};
	return NULL;
}
