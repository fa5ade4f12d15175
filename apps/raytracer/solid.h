/*
 * solid.h: shapes from the numbers that describe them.
 *
 * Each function fills a shape but for its material, and returns NULL; or it
 * returns what is wrong with the numbers. A negative radius means that the
 * shape shows its inside.
 */
#ifndef RAYTRACER_SOLID_H
#define RAYTRACER_SOLID_H

#include "apps/raytracer/scene.h"

/* Shorter lengths are taken for 0: products of them must not vanish. */
#define SOLID_LEAST 1e-9

const char *solid_sphere(struct shape *shape, struct vec centre, double radius);

/* solid_cone: a cone, or part of one, or a cylinder; no caps. */
const char *solid_cone(struct shape *shape, struct vec base, double base_radius,
		       struct vec apex, double apex_radius);

/*
 * solid_polygon: a polygon of @count corners, counterclockwise seen from its
 * front; they will be the scene's corners from number @first on.
 */
const char *solid_polygon(struct shape *shape, const struct vec *corners,
			  uint32_t first, uint32_t count);

#endif
