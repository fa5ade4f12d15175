#include "apps/raytracer/draft.h"

#include <stdlib.h>
#include <string.h>
#include "apps/raytracer/bvh.h"

/* So each array of the block begins at a multiple of eight, without gaps. */
_Static_assert(sizeof(struct scene) % 8 == 0, "array after it is aligned");
_Static_assert(sizeof(struct light) % 8 == 0, "array after it is aligned");
_Static_assert(sizeof(struct material) % 8 == 0, "array after it is aligned");
_Static_assert(sizeof(struct shape) % 8 == 0, "array after it is aligned");
_Static_assert(sizeof(struct scene) + SCENE_MOST_LIGHTS * sizeof(struct light) +
			       SCENE_MOST_MATERIALS * sizeof(struct material) +
			       SCENE_MOST_CORNERS * sizeof(struct vec) +
			       SCENE_MOST_SHAPES * sizeof(struct shape) +
			       2ull * SCENE_MOST_SHAPES * sizeof(struct node) <
		       UINT32_MAX,
	       "offsets and a buffer's length have 32 bits");

void
draft_init(struct draft *draft)
{
	*draft = (struct draft){
		.lights = { .item_bytes = sizeof(struct light),
			    .most = SCENE_MOST_LIGHTS,
			    .what = "lights" },
		.materials = { .item_bytes = sizeof(struct material),
			       .most = SCENE_MOST_MATERIALS,
			       .what = "fill colours" },
		.corners = { .item_bytes = sizeof(struct vec),
			     .most = SCENE_MOST_CORNERS,
			     .what = "corners of polygons" },
		.shapes = { .item_bytes = sizeof(struct shape),
			    .most = SCENE_MOST_SHAPES,
			    .what = "objects" },
	};
}

void
draft_fini(struct draft *draft)
{
	free(draft->lights.items);
	free(draft->materials.items);
	free(draft->corners.items);
	free(draft->shapes.items);
}

static bool
grow(struct list *list)
{
	uint32_t room = list->room ? 2 * list->room : 16;
	void *items = realloc(list->items, room * list->item_bytes);

	if (!items)
		return false;
	list->items = items;
	list->room = room;
	return true;
}

bool
draft_add(struct list *list, const void *item, struct app_why *why)
{
	if (list->count == list->most)
		return app_because(why, "more than %u %s", list->most,
				   list->what);
	if (list->count == list->room && !grow(list))
		return app_because(why, "out of memory for %s", list->what);
	memcpy((char *)list->items + list->count * list->item_bytes, item,
	       list->item_bytes);
	list->count++;
	return true;
}

/* Reserves the place of an array, behind the arrays that the scene has. */
static void
place(struct scene *scene, size_t item_bytes, uint32_t count,
      uint32_t *offset_p, uint32_t *count_p)
{
	*offset_p = scene->bytes;
	*count_p = count;
	scene->bytes += (uint32_t)(item_bytes * count);
}

static void
place_all(struct scene *scene, const struct draft *draft)
{
	uint32_t shapes = draft->shapes.count;

	scene->bytes = sizeof(struct scene);
	place(scene, sizeof(struct light), draft->lights.count, &scene->lights,
	      &scene->light_count);
	place(scene, sizeof(struct material), draft->materials.count,
	      &scene->materials, &scene->material_count);
	place(scene, sizeof(struct vec), draft->corners.count, &scene->corners,
	      &scene->corner_count);
	place(scene, sizeof(struct shape), shapes, &scene->shapes,
	      &scene->shape_count);
	place(scene, sizeof(struct node), shapes ? 2 * shapes - 1 : 0,
	      &scene->nodes, &scene->node_count);
}

static void
copy(struct scene *scene, uint32_t offset, const struct list *list)
{
	if (list->count) /* memcpy refuses NULL even for 0 bytes */
		memcpy((char *)scene + offset, list->items,
		       list->count * list->item_bytes);
}

struct scene *
draft_pack(const struct draft *draft)
{
	struct scene head = draft->head, *scene;

	place_all(&head, draft);
	scene = calloc(1, head.bytes);
	if (!scene)
		return NULL;
	*scene = head;
	copy(scene, head.lights, &draft->lights);
	copy(scene, head.materials, &draft->materials);
	copy(scene, head.corners, &draft->corners);
	copy(scene, head.shapes, &draft->shapes);
	/* The nodes come last, so the block can end after the last of them. */
	scene->node_count = bvh_build(scene);
	scene->bytes =
		head.nodes + scene->node_count * (uint32_t)sizeof(struct node);
	return scene;
}
