/*
 * shape.h: the points where a ray meets a sphere, a polygon or a cone.
 */
#ifndef RAYTRACER_SHAPE_H
#define RAYTRACER_SHAPE_H

#include "apps/raytracer/scene.h"

/* A ray: the points from + t * way, least < t < most. @way has length 1. */
struct ray {
	struct vec from, way;
	double least, most;
};

struct box {
	struct vec low, high;
};

/* shape_box: a box around the shape, slightly too large. */
struct box shape_box(const struct scene *scene, const struct shape *shape);

/*
 * shape_hit: the least t at which the ray meets the shape on one of @sides
 * (a set of SHAPE_FRONT and SHAPE_BACK), or INFINITY.
 */
double shape_hit(const struct scene *scene, const struct shape *shape,
		 const struct ray *ray, unsigned sides);

/* shape_normal: the unit vector out of the shape's front at its @point. */
struct vec shape_normal(const struct shape *shape, struct vec point);

#endif
