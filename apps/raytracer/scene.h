/*
 * scene.h: a scene as one block of bytes that can be copied to another node.
 *
 * A header, then five arrays whose places the header tells as offsets from its
 * own start. No pointers; all members are native, as nodes of a run are alike.
 *
 *	struct scene | lights | materials | corners | shapes | nodes
 *
 * A shape names its material, and a polygon its corners, by index. A node is a
 * box around the shapes below it (bvh.h).
 */
#ifndef RAYTRACER_SCENE_H
#define RAYTRACER_SCENE_H

#include <stdint.h>
#include "apps/raytracer/vec.h"

/* What a scene may hold; together they stay far below a buffer's 4 GiB. */
enum {
	SCENE_MOST_SIZE = 16384, /* pixels a side */
	SCENE_MOST_LIGHTS = 1000,
	SCENE_MOST_MATERIALS = 1 << 20,
	SCENE_MOST_CORNERS = 1 << 22,
	SCENE_MOST_SHAPES = 1 << 20
};

struct scene {
	uint32_t bytes; /* of the whole block */
	uint32_t width, height;
	uint32_t light_count, material_count, corner_count, shape_count,
		node_count;
	uint32_t lights, materials, corners, shapes, nodes; /* offsets */
	uint32_t reserved;
	/*
	 * The view: where the eye is; a unit vector ahead; vectors to the right
	 * and up, as long as half the picture's height at distance 1; nothing
	 * is seen that is nearer than hither, measured straight ahead.
	 */
	struct vec eye, ahead, right, up;
	double hither;
	struct vec background;
};

struct light {
	struct vec at, colour;
};

/* NFF's "f". */
struct material {
	struct vec colour;
	double diffuse, specular, shine, transmit, index;
};

enum shape_kind { SHAPE_SPHERE, SHAPE_POLYGON, SHAPE_CONE };

/* Which sides of its surface a shape shows. */
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
			uint32_t axis;	       /* the normal's longest part */
		} polygon;
		struct {
			struct vec base, axis; /* axis is a unit vector */
			double height, radius; /* radius of the base, */
			double slope;	       /* and its growth by height */
		} cone;
	};
};

/*
 * A node with a count is a leaf of so many shapes, beginning with number
 * @first. Others have two children: the next node, and node number @first;
 * along @axis the former comes first.
 */
struct node {
	struct vec low, high;
	uint32_t first;
	uint16_t count, axis;
};

/* The arrays. Their addresses are those of this copy of the scene. */
static inline const void *
scene_at(const struct scene *scene, uint32_t offset)
{
	return (const char *)scene + offset;
}

static inline const struct light *
scene_lights(const struct scene *scene)
{
	return scene_at(scene, scene->lights);
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

static inline const struct shape *
scene_shapes(const struct scene *scene)
{
	return scene_at(scene, scene->shapes);
}

static inline const struct node *
scene_nodes(const struct scene *scene)
{
	return scene_at(scene, scene->nodes);
}

#endif
