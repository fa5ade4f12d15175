/*
 * draft.h: a scene while a file is read. Its lists grow, and become one block
 * in the end.
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
	const char *what; /* what the items are, for complaints */
};

struct draft {
	struct scene head; /* has the size, the view and the background */
	struct list lights, materials, corners, shapes;
};

void draft_init(struct draft *draft);
void draft_fini(struct draft *draft);

/*
 * draft_add: appends a copy of *@item to one of the draft's lists. Returns
 * false, with a line in @why, if the list is full or memory runs out.
 */
bool draft_add(struct list *list, const void *item, struct app_why *why);

/*
 * draft_pack: makes a scene of the draft, with its tree of boxes. The caller
 * frees it. Returns NULL if memory runs out. Doesn't change the draft.
 */
struct scene *draft_pack(const struct draft *draft);

#endif
