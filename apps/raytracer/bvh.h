/*
 * bvh.h: a tree of boxes around a scene's shapes. A ray skips the shapes in
 * boxes that it doesn't enter.
 */
#ifndef RAYTRACER_BVH_H
#define RAYTRACER_BVH_H

#include <stdbool.h>
#include "apps/raytracer/shape.h"

/*
 * bvh_build: sorts the scene's shapes and makes its nodes. The caller has left
 * room for 2 * shape_count - 1 nodes. Returns the number of nodes. The time is
 * proportional to the number of shapes times the tree's depth. Allocates
 * nothing.
 */
uint32_t bvh_build(struct scene *scene);

/*
 * bvh_nearest: the shape that the ray meets first, or NULL. Ignores the sides
 * that a shape doesn't show.
 * @t_p  receives the ray's t at the shape; unchanged if there is none
 * @looks  the number of boxes and shapes that it looked at is added to *@looks
 */
const struct shape *bvh_nearest(const struct scene *scene,
				const struct ray *ray, double *t_p,
				uint64_t *looks);

/*
 * bvh_light: the part of the light that passes along the ray, from 0 to 1: 0
 * behind an opaque shape, and the factor T for each transparent shape.
 * @looks  as above
 */
double bvh_light(const struct scene *scene, const struct ray *ray,
		 uint64_t *looks);

#endif
