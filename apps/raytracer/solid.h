/*
 * solid.h: makes shapes from the numbers of an NFF file.
 *
 * Each function sets all of *@shape but its material, and returns NULL. If the
 * numbers are wrong, it returns a constant text that says why. A shape with a
 * negative radius shows its inside.
 */
#ifndef RAYTRACER_SOLID_H
#define RAYTRACER_SOLID_H

#include "apps/raytracer/scene.h"

/* Shorter lengths count as 0, because products of them could become 0. */
#define SOLID_LEAST 1e-9

const char *solid_sphere(struct shape *shape, struct vec centre, double radius);

/* solid_cone: a cone, a part of a cone, or a cylinder, without end caps. */
const char *solid_cone(struct shape *shape, struct vec base, double base_radius,
		       struct vec apex, double apex_radius);

/*
 * solid_polygon: a polygon of @count corners, counterclockwise seen from its
 * front. The caller makes them the scene's corners from number @first on.
 */
const char *solid_polygon(struct shape *shape, const struct vec *corners,
			  uint32_t first, uint32_t count);

#endif
