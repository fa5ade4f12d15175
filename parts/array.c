#include "parts/array.h"

#include <inttypes.h>
#include <stdlib.h>

#include "node/attend.h"
#include "parts/cells/cells.h"
#include "parts/survive/revival.h"
#include "steal/virtual_cost.h"

struct stn_parts *
stn_array_create(struct stn_parts_service *service,
		 const struct stn_parts_create *create,
		 const struct stn_shape *shape)
{
	struct stn_parts *array = calloc(1, sizeof(*array));

	if (!array)
		return NULL;
	array->buckets = calloc(STN_BUCKETS_LEAST, sizeof(array->buckets[0]));
	array->spares =
		calloc(service->node->worker_count, sizeof(array->spares[0]));
	if (!array->buckets || !array->spares) {
		free(array->buckets);
		free(array->spares);
		free(array);
		return NULL;
	}
	array->bucket_mask = STN_BUCKETS_LEAST - 1;
	array->service = service;
	array->id = create->array;
	array->create = *create;
	array->copies.wanted = create->copied & STN_COPIED_IN_MEMORY;
	SLIST_INIT(&array->copies.list);
	SLIST_INIT(&array->storing.files);
	if (stn_shape_is_cells(shape)) {
		array->cells = stn_cells_begin(create);
		if (!array->cells) {
			free(array->buckets);
			free(array->spares);
			free(array);
			return NULL;
		}
	}
	array->shape = *shape;
	array->shape.hollow = !array->cells && stn_cost_hollow(service->node);
	array->count = stn_shape_parts(shape);
	if (array->cells)
		array->cells->parts = array->count;
	array->nodes = create->nodes;
	array->pause = UINT64_MAX;
	SLIST_INSERT_HEAD(&service->arrays, array, link);
	if (!service->used)
		service->begin_ns = stn_node_now(service->node);
	service->used = true;
	stn_attend_to(service->node, service);
	return array;
}

static struct stn_bucket *
bucket_of(const struct stn_parts *array, uint32_t number)
{
	return &array->buckets[(number * 2654435761u) & array->bucket_mask];
}

static void
part_remove(struct stn_part *part)
{
	struct stn_parts *array = part->array;

	SLIST_REMOVE(bucket_of(array, part->number), part, stn_part, chain);
	array->known--;
	array->here -= part->here;
	stn_part_drop(part, 0);
	stn_part_drop(part, 1);
	free(part->dealt);
	stn_memory_fini(&part->memory);
	stn_cells_forget(part);
	free(part);
}

static void
free_spares(struct stn_parts *array)
{
	for (uint32_t i = 0; i < array->service->node->worker_count; i++) {
		free(array->spares[i]);
		array->spares[i] = NULL;
	}
}

/* The list of the service that has the array. */
static struct stn_arrays *
list_of(struct stn_parts *array)
{
	return array->freed ? &array->service->freed : &array->service->arrays;
}

void
stn_array_set_freed(struct stn_parts *array, bool freed)
{
	if (array->freed == freed)
		return;
	SLIST_REMOVE(list_of(array), array, stn_parts, link);
	array->freed = freed;
	SLIST_INSERT_HEAD(list_of(array), array, link);
}

/*
 * If main runs again, it needs the history of an array that is freed, and the
 * root describes the array to nodes that join. Nothing else is needed any more:
 * a death that comes before all nodes have freed the array makes all its state
 * anew. The scheduling still tells that the array has been made.
 */
static void
shrink(struct stn_parts *array)
{
	struct stn_bucket *buckets = NULL;
	void *scheduling = NULL;

	if (array->scheduling)
		scheduling = realloc(array->scheduling, 1);
	if (scheduling)
		array->scheduling = scheduling;
	if (!array->known) /* else parts are arriving */
		buckets = reallocarray(array->buckets, STN_BUCKETS_LEAST,
				       sizeof(buckets[0]));
	if (buckets) {
		array->buckets = buckets;
		array->bucket_mask = STN_BUCKETS_LEAST - 1;
	}
	stn_homes_fini(&array->homes);
	array->homes = (struct stn_homes){ 0 };
	stn_folds_fini(&array->gather.folds);
	stn_folds_fini(&array->result);
	stn_harvest_fini(&array->gather.harvest);
	stn_harvest_fini(&array->harvested);
	if (array->cells)
		stn_cells_clear(array->cells);
}

void
stn_array_clear(struct stn_parts *array)
{
	for (uint32_t i = 0; i <= array->bucket_mask; i++) {
		struct stn_part *part = SLIST_FIRST(&array->buckets[i]);

		while (part) {
			struct stn_part *next = SLIST_NEXT(part, chain);

			if (!part->arriving)
				part_remove(part);
			part = next;
		}
	}
	free_spares(array);
	shrink(array);
	stn_array_set_freed(array, true);
}

static void
remove_all(struct stn_parts *array)
{
	for (uint32_t i = 0; i <= array->bucket_mask; i++)
		while (!SLIST_EMPTY(&array->buckets[i]))
			part_remove(SLIST_FIRST(&array->buckets[i]));
}

void
stn_array_empty(struct stn_parts *array)
{
	remove_all(array);
	array->boundary.kernel = NULL; /* until an operation begins */
	array->unfinished = 0;
	array->version = 0;
	array->pause = UINT64_MAX;
	array->operation = (struct stn_operation){ 0 };
	array->pace = (struct stn_pace){ 0 };
	free(array->scheduling);
	array->scheduling = NULL;
	stn_revival_destroy(array->revival);
	array->revival = NULL;
	array->revived = false;
}

void
stn_array_destroy(struct stn_parts *array)
{
	SLIST_REMOVE(list_of(array), array, stn_parts, link);
	remove_all(array);
	stn_cells_destroy(array);
	stn_folds_fini(&array->gather.folds);
	stn_folds_fini(&array->result);
	stn_harvest_fini(&array->gather.harvest);
	stn_harvest_fini(&array->harvested);
	free_spares(array);
	free(array->spares);
	stn_homes_fini(&array->homes);
	stn_history_fini(&array->history);
	stn_revival_destroy(array->revival);
	free(array->scheduling);
	free(array->buckets);
	free(array);
}

static struct stn_parts *
find_in(const struct stn_arrays *arrays, struct stn_array_id id)
{
	struct stn_parts *array;

	SLIST_FOREACH(array, arrays, link)
	if (array->id.rank == id.rank && array->id.number == id.number)
		return array;
	return NULL;
}

struct stn_parts *
stn_array_find(struct stn_parts_service *service, struct stn_array_id id)
{
	struct stn_parts *array = find_in(&service->arrays, id);

	/* Arrays that were freed last come first. */
	return array ? array : find_in(&service->freed, id);
}

/* Cells may have been cut since then. */
bool
stn_array_is_new(const struct stn_parts *array)
{
	uint32_t view = array->service->view;

	return array->cells
		       ? stn_generation_same_view(array->id.generation, view)
		       : array->id.generation == view;
}

uint32_t
stn_array_first_home(const struct stn_parts *array, uint32_t number)
{
	if (array->homes.count)
		return stn_homes_at(&array->homes, number)->home;
	return (uint32_t)((uint64_t)number * array->nodes / array->count);
}

enum stn_err
stn_array_spread(struct stn_parts *array, const struct stn_members *members)
{
	uint32_t *ranks = malloc(members->living * sizeof(ranks[0]));
	uint32_t end = members->topology->nodes - array->service->spares;
	uint32_t nodes = 0;
	enum stn_err err = STN_OK;

	if (!ranks)
		return STN_NO_MEMORY;
	array->homes.count = 0; /* of an earlier view */
	/* If none of these stays, the spare nodes get parts. */
	for (uint32_t i = 0;
	     i < end || (!nodes && i < members->topology->nodes); i++)
		if (stn_members_stays(members, i))
			ranks[nodes++] = i;
	array->nodes = nodes;
	/* Otherwise the arithmetic of stn_array_first_home is right. */
	if (nodes && ranks[nodes - 1] != nodes - 1)
		err = stn_homes_spread(&array->homes, array->count, ranks,
				       nodes);
	free(ranks);
	return err;
}

uint32_t
stn_array_first_part(const struct stn_parts *array, uint64_t rank)
{
	return (uint32_t)((rank * array->count + array->nodes - 1) /
			  array->nodes);
}

struct stn_part *
stn_array_known(const struct stn_parts *array, uint32_t number)
{
	struct stn_part *part;

	SLIST_FOREACH(part, bucket_of(array, number), chain)
	if (part->number == number)
		return part;
	return NULL;
}

/* Doubles the number of buckets. Without memory the chains become longer. */
static void
array_grow(struct stn_parts *array)
{
	uint32_t mask = 2 * array->bucket_mask + 1, old = array->bucket_mask;
	struct stn_bucket *from = array->buckets;
	struct stn_bucket *to = calloc(mask + 1ull, sizeof(to[0]));

	if (!to)
		return;
	array->buckets = to;
	array->bucket_mask = mask;
	for (uint32_t i = 0; i <= old; i++)
		while (!SLIST_EMPTY(&from[i])) {
			struct stn_part *part = SLIST_FIRST(&from[i]);

			SLIST_REMOVE_HEAD(&from[i], chain);
			SLIST_INSERT_HEAD(bucket_of(array, part->number), part,
					  chain);
		}
	free(from);
}

static uint32_t
count_needs(const struct stn_parts *array, uint32_t number)
{
	struct stn_piece piece;
	uint32_t needs = 0, places = stn_shape_places(&array->shape);

	for (uint32_t place = 0; place < places; place++)
		needs += stn_shape_needs(&array->shape, number, place, &piece);
	return needs;
}

/* As the base map has it. */
static uint32_t
first_epoch(const struct stn_parts *array, uint32_t number)
{
	return array->homes.count ? stn_homes_at(&array->homes, number)->epoch
				  : 0;
}

struct stn_part *
stn_array_part(struct stn_parts *array, uint32_t number)
{
	struct stn_part *part = stn_array_known(array, number);

	if (part)
		return part;
	part = calloc(1, sizeof(*part));
	if (!part)
		return NULL;
	part->array = array;
	part->number = number;
	part->home = stn_array_first_home(array, number);
	part->epoch = first_epoch(array, number);
	part->expected = STN_NOBODY;
	part->needs = count_needs(array, number);
	if (array->known++ > array->bucket_mask)
		array_grow(array);
	SLIST_INSERT_HEAD(bucket_of(array, number), part, chain);
	return part;
}

uint32_t
stn_array_home(const struct stn_parts *array, uint32_t number)
{
	const struct stn_part *part = stn_array_known(array, number);

	if (!part)
		return stn_array_first_home(array, number);
	return part->expected == STN_NOBODY ? part->home : part->expected;
}

uint32_t
stn_array_epoch(const struct stn_parts *array, uint32_t number)
{
	const struct stn_part *part = stn_array_known(array, number);

	return part ? part->epoch : first_epoch(array, number);
}

uint32_t
stn_array_other(const struct stn_parts *array, uint64_t from)
{
	const struct stn_node *node = array->service->node;
	uint32_t nodes = node->topology->nodes;

	for (uint32_t i = 0; i < nodes; i++) {
		uint32_t rank = (uint32_t)((from + i) % nodes);

		if (rank != node->rank &&
		    stn_members_stays(&node->members, rank))
			return rank;
	}
	return STN_NOBODY;
}

/* How many parts this node has at first. */
static uint64_t
count_first_parts(const struct stn_parts *array)
{
	uint32_t rank = array->service->node->rank;
	uint64_t parts = 0;

	if (!array->homes.count)
		return rank < array->nodes
			       ? stn_array_first_part(array, rank + 1ull) -
					 stn_array_first_part(array, rank)
			       : 0;
	for (uint32_t i = 0; i < array->homes.count; i++)
		if (array->homes.list[i].home == rank)
			parts += array->homes.list[i].count;
	return parts;
}

static enum stn_err
place_parts(struct stn_parts *array, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++) {
		struct stn_part *part = stn_array_part(array, i);

		if (!part || stn_memory_init(&part->memory, &array->shape, i))
			return STN_NO_MEMORY;
		stn_part_settle(part);
	}
	return STN_OK;
}

enum stn_err
stn_array_place(struct stn_parts *array, struct stn_why *why)
{
	uint32_t rank = array->service->node->rank;
	enum stn_err err = STN_OK;

	if (!stn_array_fits(array, count_first_parts(array)))
		return stn_because(why, STN_INVALID,
				   "the parts of a grid of %" PRIu64
				   " x %" PRIu64 " x %" PRIu64
				   " points need more memory than node %" PRIu32
				   " has; use more hosts or a smaller grid",
				   array->shape.size[0], array->shape.size[1],
				   array->shape.size[2], rank);
	if (!array->homes.count && rank < array->nodes)
		err = place_parts(array, stn_array_first_part(array, rank),
				  stn_array_first_part(array, rank + 1ull));
	for (uint32_t i = 0; !err && i < array->homes.count; i++) {
		const struct stn_home *home = &array->homes.list[i];

		if (home->home == rank)
			err = place_parts(array, home->first,
					  home->first + home->count);
	}
	return err ? stn_because(why, err, "out of memory") : STN_OK;
}

void
stn_part_settle(struct stn_part *part)
{
	part->here = true;
	part->array->here++;
}

void
stn_part_drop(struct stn_part *part, uint64_t version)
{
	struct stn_landings *landings = &part->landings[version & 1];

	while (!SLIST_EMPTY(landings)) {
		struct stn_landing *landing = SLIST_FIRST(landings);

		SLIST_REMOVE_HEAD(landings, link);
		free(landing);
	}
	part->landed[version & 1] = 0;
}

void
stn_array_each(struct stn_parts *array,
	       void (*visit)(struct stn_part *part, void *arg), void *arg)
{
	for (uint32_t i = 0; i <= array->bucket_mask; i++) {
		struct stn_part *part;

		SLIST_FOREACH(part, &array->buckets[i], chain)
		if (part->here)
			visit(part, arg);
	}
}

void
stn_array_expect_nothing(struct stn_parts *array)
{
	for (uint32_t i = 0; i <= array->bucket_mask; i++) {
		struct stn_part *part;

		SLIST_FOREACH(part, &array->buckets[i], chain)
		part->expected = STN_NOBODY;
	}
}

void
stn_array_list(struct stn_parts *array, struct stn_part **list)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i <= array->bucket_mask; i++) {
		struct stn_part *part;

		SLIST_FOREACH(part, &array->buckets[i], chain)
		if (part->here)
			list[count++] = part;
	}
}
