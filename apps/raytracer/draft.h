/*
 * draft.h: a scene while it is being read: lists that grow, then one block.
 */
#ifndef RAYTRACER_DRAFT_H
#define RAYTRACER_DRAFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "apps/app.h"
#include "apps/raytracer/scene.h"

struct list {
	void *items;
	size_t item_bytes;
	uint32_t count, room, most;
	const char *what; /* they are, for complaints */
};

struct draft {
	struct scene head; /* size, view and background */
	struct list lights, materials, corners, shapes;
};

void draft_init(struct draft *draft);
void draft_fini(struct draft *draft);

/*
 * draft_add: puts a copy of *@item at the end of one of the draft's lists.
 * False if it is full or there is no memory, and says which in @why.
 */
bool draft_add(struct list *list, const void *item, struct app_why *why);

/*
 * draft_pack: the draft as a scene, to be freed by the caller, with its tree of
 * boxes built; NULL if there is no memory. The draft stays as it was.
 */
struct scene *draft_pack(const struct draft *draft);

#endif
