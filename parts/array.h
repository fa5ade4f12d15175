/*
 * array.h: the parts of an array that a node has or knows. Net lock held.
 */
#ifndef STN_PARTS_ARRAY_H
#define STN_PARTS_ARRAY_H

#include "parts/parts.h"

/*
 * stn_array_create: an array of the shape of @create, without parts. NULL: no
 * memory.
 * stn_array_destroy: frees it with its parts. No worker sweeps them.
 * stn_array_clear: frees its parts, but neither the array, because messages
 * about it may still be under way, nor parts that are arriving.
 * stn_array_set_freed: notes that it is freed, or that it will be made again.
 * stn_array_empty: frees its parts and what it knows of them, so that it can
 * begin again.
 * stn_array_find: the array with that id, of any generation, or NULL.
 * stn_array_is_new: whether its parts were made, or have returned to an earlier
 * version, in this view: no notice of the view is about them.
 */
struct stn_parts *stn_array_create(struct stn_parts_service *service,
				   const struct stn_parts_create *create,
				   const struct stn_shape *shape);
void stn_array_destroy(struct stn_parts *array);
void stn_array_clear(struct stn_parts *array);
void stn_array_set_freed(struct stn_parts *array, bool freed);
void stn_array_empty(struct stn_parts *array);
struct stn_parts *stn_array_find(struct stn_parts_service *service,
				 struct stn_array_id id);
bool stn_array_is_new(const struct stn_parts *array);

/*
 * stn_caller_lives: whether the node of @caller lives, a task of which has made
 * an array or called an operation. @caller is a rank + 1, as in struct
 * stn_array_id, and not STN_OF_MAIN. It comes from a message, so it may be too
 * large.
 */
static inline bool
stn_caller_lives(const struct stn_node *node, uint32_t caller)
{
	return caller <= node->topology->nodes &&
	       stn_members_has(&node->members, caller - 1);
}

/*
 * stn_array_spread: the nodes that live and stay get equal shares of the
 * array's parts, in the order of their ranks. STN_NO_MEMORY.
 * stn_array_first_home: the node that has part @number at first.
 * stn_array_first_part: the first part of node @rank, as it is at first, if
 * there is no base map.
 */
STN_CHECKED enum stn_err stn_array_spread(struct stn_parts *array,
					  const struct stn_members *members);
uint32_t stn_array_first_home(const struct stn_parts *array, uint32_t number);
uint32_t stn_array_first_part(const struct stn_parts *array, uint64_t rank);

/*
 * stn_array_place: gives this node its first parts. STN_NO_MEMORY; or
 * STN_INVALID with @why if they need more memory than the machine has.
 */
STN_CHECKED enum stn_err stn_array_place(struct stn_parts *array,
					 struct stn_why *why);

/*
 * stn_array_fits: whether the machine has memory for @parts parts of the array
 * on each of its nodes. stn_array_can_copy: whether @node would have memory for
 * copies of its parts.
 */
bool stn_array_fits(const struct stn_parts *array, uint64_t parts);
bool stn_array_can_copy(const struct stn_node *node,
			const struct stn_shape *shape);

/*
 * stn_array_known: part @number, or NULL if its home is the first one and this
 * node has no pieces for it.
 * stn_array_part: part @number; makes an entry for it. NULL: no memory.
 * stn_array_home: the node that has part @number, as far as this one knows.
 * stn_array_epoch: how often the part has moved, as far as this node knows.
 */
struct stn_part *stn_array_known(const struct stn_parts *array,
				 uint32_t number);
struct stn_part *stn_array_part(struct stn_parts *array, uint32_t number);
uint32_t stn_array_home(const struct stn_parts *array, uint32_t number);
uint32_t stn_array_epoch(const struct stn_parts *array, uint32_t number);

/*
 * stn_array_other: the first node from rank @from on, and then from 0 on, that
 * lives and stays and isn't this one; or STN_NOBODY.
 */
uint32_t stn_array_other(const struct stn_parts *array, uint64_t from);

/* stn_part_settle: the part, which has memory, is here from now on. */
void stn_part_settle(struct stn_part *part);

/* stn_part_drop: frees pieces that have landed for version @version. */
void stn_part_drop(struct stn_part *part, uint64_t version);

/*
 * stn_array_each: calls @visit for each part that is here.
 * stn_array_list: lists the parts that are here, array->here of them.
 */
void stn_array_each(struct stn_parts *array,
		    void (*visit)(struct stn_part *part, void *arg), void *arg);
void stn_array_list(struct stn_parts *array, struct stn_part **list);

/* stn_array_expect_nothing: forgets where homes were expected to be soon. */
void stn_array_expect_nothing(struct stn_parts *array);

/* stn_array_check_grid: ends the run if the array is one of cells. */
void stn_array_check_grid(const struct stn_parts *array);

/* stn_array_shared: ends the run, because two tasks use the array at a time. */
_Noreturn void stn_array_shared(const struct stn_parts *array);

/* stn_array_no_memory: ends the run, because this node has no memory. */
_Noreturn void stn_array_no_memory(const struct stn_parts *array);

#endif
