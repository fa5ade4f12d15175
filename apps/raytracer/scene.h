/*
 * scene.h: a scene as one block of bytes that can be copied to another node.
 *
 * The block is a header and five arrays. The header has the offsets of the
 * arrays from its own start. There are no pointers. Numbers have the host's
 * byte order and format, which are the same on all nodes of a run.
 *
 *	struct scene | lights | materials | corners | shapes | nodes
 *
 * A shape has the index of its material, and a polygon the index of its first
 * corner. A node is a box around the shapes below it (bvh.h).
 */
#ifndef RAYTRACER_SCENE_H
#define RAYTRACER_SCENE_H

#include <stdint.h>
#include "apps/raytracer/vec.h"

/* The limits of a scene. With them a scene is far smaller than 4 GiB. */
enum {
	SCENE_MOST_SIZE = 16384, /* pixels of a side of the picture */
	SCENE_MOST_LIGHTS = 1000,
	SCENE_MOST_MATERIALS = 1 << 20,
	SCENE_MOST_CORNERS = 1 << 22,
	SCENE_MOST_SHAPES = 1 << 20
};

struct scene {
	uint32_t bytes; /* size of the whole block */
	uint32_t width, height;
	uint32_t light_count, material_count, corner_count, shape_count,
		node_count;
	uint32_t lights, materials, corners, shapes, nodes; /* offsets */
	uint32_t reserved;
	/*
	 * The view: the place of the eye, a unit vector ahead, and vectors to
	 * the right and up, as long as half the picture's height at distance 1.
	 * A point is visible only if its distance, measured straight ahead, is
	 * at least hither.
	 */
	struct vec eye, ahead, right, up;
	double hither;
	struct vec background;
};

struct light {
	struct vec at, colour;
};

/* A material: NFF's "f". */
struct material {
	struct vec colour;
	double diffuse, specular, shine, transmit, index;
};

enum shape_kind { SHAPE_SPHERE, SHAPE_POLYGON, SHAPE_CONE };

/* The sides of its surface that a shape shows. */
enum { SHAPE_FRONT = 1, SHAPE_BACK = 2 };

struct shape {
	uint32_t kind, sides, material, reserved;
	union {
		struct {
			struct vec centre;
			double radius;
		} sphere;
		struct {
			struct vec normal; /* unit; normal * p == distance */
			double distance;
			uint32_t first, count; /* corners */
			uint32_t axis;	       /* where the normal is longest */
		} polygon;
		struct {
			struct vec base, axis; /* axis is a unit vector */
			double height, radius; /* radius of the base */
			double slope; /* growth of the radius by height */
		} cone;
	};
};

/*
 * A node of the tree of boxes. If @count isn't 0, it is a leaf with @count
 * shapes, from number @first on. If @count is 0, the node has two children: the
 * next node in the array, and node number @first. The next node has the lower
 * coordinates along @axis.
 */
struct node {
	struct vec low, high;
	uint32_t first;
	uint16_t count, axis;
};

/* scene_at: the array at an offset, in this copy of the scene. */
static inline const void *
scene_at(const struct scene *scene, uint32_t offset)
{
	return (const char *)scene + offset;
}

static inline const struct material *
scene_material(const struct scene *scene, const struct shape *shape)
{
	const struct material *materials = scene_at(scene, scene->materials);

	return materials + shape->material;
}

static inline const struct vec *
scene_corners(const struct scene *scene, const struct shape *polygon)
{
	const struct vec *corners = scene_at(scene, scene->corners);

	return corners + polygon->polygon.first;
}

#endif
