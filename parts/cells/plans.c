#include "parts/cells/plans.h"

#include <stdlib.h>

/* So many are kept, to begin from nothing if copies are lost. */
#define BYTES_LEAST (8u << 20)

struct stn_plan *
stn_plans_find(const struct stn_cells *cells, uint32_t serial)
{
	struct stn_plan *plan;

	TAILQ_FOREACH_REVERSE(plan, &cells->plans, stn_plan_list, link)
	if (plan->header.serial == serial)
		return plan;
	return NULL;
}

const struct stn_plan *
stn_plans_last(const struct stn_cells *cells)
{
	return TAILQ_LAST(&cells->plans, stn_plan_list);
}

struct stn_plan *
stn_plan_create(const struct stn_parts_plan *header, struct stn_block *store)
{
	struct stn_plan *plan = malloc(sizeof(*plan));

	if (!plan)
		return NULL;
	*plan = (struct stn_plan){ .header = *header, .store = store };
	stn_block_use(store);
	return plan;
}

void
stn_plan_destroy(struct stn_plan *plan)
{
	if (!plan)
		return;
	stn_block_release(plan->store);
	free(plan);
}

/* The last plan with a lower serial, or NULL. */
static struct stn_plan *
find_before(const struct stn_cells *cells, uint32_t serial)
{
	struct stn_plan *plan;

	TAILQ_FOREACH_REVERSE(plan, &cells->plans, stn_plan_list, link)
	if (plan->header.serial < serial)
		return plan;
	return NULL;
}

struct stn_plan *
stn_plans_add(struct stn_cells *cells, const struct stn_parts_plan *header,
	      struct stn_block *store)
{
	struct stn_plan *plan = stn_plans_find(cells, header->serial);
	struct stn_plan *before = find_before(cells, header->serial);

	if (plan && header->revised > plan->header.revised) {
		stn_block_use(store);
		stn_block_release(plan->store);
		plan->store = store;
		plan->header = *header;
	}
	if (plan)
		return plan;
	plan = stn_plan_create(header, store);
	if (!plan)
		return NULL;
	if (before)
		TAILQ_INSERT_AFTER(&cells->plans, before, plan, link);
	else
		TAILQ_INSERT_HEAD(&cells->plans, plan, link);
	return plan;
}

static bool
cuts(uint32_t what)
{
	return what == STN_CELLS_SPLIT || what == STN_CELLS_PLACE;
}

/* The first plan that an order of the history names; UINT32_MAX: none does. */
static uint32_t
first_in_history(const struct stn_history *history)
{
	uint32_t orders = stn_history_orders(history);

	for (uint32_t i = 0; i < orders; i++) {
		uint32_t serial = stn_cells_plan_of(&history->orders[i].order);

		if (serial)
			return serial;
	}
	return UINT32_MAX;
}

/*
 * The orders before the last complete version may be forgotten: then the state
 * is that of the last plan before those that orders name.
 */
static uint32_t
cut_before_history(const struct stn_parts *array)
{
	uint32_t end = first_in_history(&array->history), serial = 0;
	const struct stn_plan *plan;

	TAILQ_FOREACH(plan, &array->cells->plans, link)
	if (plan->header.serial <= end && cuts(plan->header.what))
		serial = plan->header.serial;
	return array->history.first > 1 ? serial : 0;
}

uint32_t
stn_plans_cut_at(const struct stn_parts *array, uint64_t version)
{
	const struct stn_history *history = &array->history;

	for (uint32_t i = stn_history_orders(history); version && i--;) {
		const struct stn_order *order = &history->orders[i];

		if (order->order.what == STN_CELLS_JOIN &&
		    order->end <= version)
			return stn_cells_plan_of(&order->order);
	}
	return version ? cut_before_history(array) : 0;
}

uint32_t
stn_plans_briefs_at(const struct stn_parts *array, uint64_t version)
{
	const struct stn_history *history = &array->history;
	uint32_t cut = stn_plans_cut_at(array, version), serial = 0;
	const struct stn_plan *plan;

	for (uint32_t i = stn_history_orders(history); i--;) {
		const struct stn_order *order = &history->orders[i];

		if (order->order.what == STN_CELLS_BRIEFS &&
		    order->end <= version) {
			serial = stn_cells_plan_of(&order->order);
			return serial > cut ? serial : 0;
		}
	}
	TAILQ_FOREACH(plan, &array->cells->plans, link)
	if (history->first > 1 && plan->header.what == STN_CELLS_BRIEFS &&
	    plan->header.since == cut &&
	    plan->header.serial <= first_in_history(history))
		serial = plan->header.serial;
	return serial;
}

/* Forgets all plans before the higher of two, except these. */
static void
keep_from(struct stn_cells *cells, uint32_t cut, uint32_t briefs)
{
	uint32_t end = briefs > cut ? briefs : cut;
	struct stn_plan *plan = TAILQ_FIRST(&cells->plans);

	while (plan && plan->header.serial < end) {
		struct stn_plan *next = TAILQ_NEXT(plan, link);

		if (plan->header.serial != cut) {
			TAILQ_REMOVE(&cells->plans, plan, link);
			stn_plan_destroy(plan);
		}
		plan = next;
	}
}

static size_t
bytes_of_plans(const struct stn_cells *cells)
{
	const struct stn_plan *plan;
	size_t bytes = 0;

	TAILQ_FOREACH(plan, &cells->plans, link)
	bytes += plan->store->bytes;
	return bytes;
}

void
stn_plans_drop(struct stn_parts *array, uint64_t version)
{
	if (bytes_of_plans(array->cells) <= BYTES_LEAST)
		return;
	keep_from(array->cells, stn_plans_cut_at(array, version),
		  stn_plans_briefs_at(array, version));
}

void
stn_plans_thin(struct stn_parts *array)
{
	struct stn_cells *cells = array->cells;

	if (!array->copies.wanted)
		keep_from(cells, cells->tree_serial,
			  cells->briefs ? cells->briefs_serial : 0);
}

void
stn_plans_trim(struct stn_parts *array)
{
	const struct stn_history *history = &array->history;
	struct stn_cells *cells = array->cells;
	uint32_t orders = stn_history_orders(history), last = 0;
	struct stn_plan *plan = TAILQ_FIRST(&cells->plans);

	for (uint32_t i = 0; i < orders; i++) {
		uint32_t serial = stn_cells_plan_of(&history->orders[i].order);

		last = serial > last ? serial : last;
	}
	while (plan) {
		struct stn_plan *next = TAILQ_NEXT(plan, link);

		if (plan->header.serial > last) {
			TAILQ_REMOVE(&cells->plans, plan, link);
			stn_plan_destroy(plan);
		}
		plan = next;
	}
}

void
stn_plans_fini(struct stn_cells *cells)
{
	while (!TAILQ_EMPTY(&cells->plans)) {
		struct stn_plan *plan = TAILQ_FIRST(&cells->plans);

		TAILQ_REMOVE(&cells->plans, plan, link);
		stn_plan_destroy(plan);
	}
	stn_plan_destroy(cells->issued);
	cells->issued = NULL;
}
