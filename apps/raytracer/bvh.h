/*
 * bvh.h: a tree of boxes around a scene's shapes, so that a ray looks at few.
 */
#ifndef RAYTRACER_BVH_H
#define RAYTRACER_BVH_H

#include <stdbool.h>
#include "apps/raytracer/shape.h"

/*
 * bvh_build: sorts the scene's shapes and fills its nodes, of which there must
 * be room for 2 * shape_count - 1. Returns how many it made. Takes time in
 * proportion to shapes times the tree's depth; no memory.
 */
uint32_t bvh_build(struct scene *scene);

/*
 * bvh_nearest: what the ray meets first, or NULL; in that case *@t_p is kept.
 * Sees only the sides that a shape shows.
 * @looks  at how many boxes and shapes it looked is added there
 */
const struct shape *bvh_nearest(const struct scene *scene,
				const struct ray *ray, double *t_p,
				uint64_t *looks);

/*
 * bvh_light: how much light comes through along the ray: 0 behind an opaque
 * shape; each transparent one lets its T through.
 * @looks  as above
 */
double bvh_light(const struct scene *scene, const struct ray *ray,
		 uint64_t *looks);

#endif
