#include "parts/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "node/progress.h"
#include "parts/array.h"
#include "parts/copies.h"
#include "parts/depart.h"
#include "parts/gather.h"
#include "parts/halo.h"
#include "parts/ready.h"
#include "parts/restore.h"
#include "parts/scheduler.h"
#include "steal/steal.h"
#include "steal/virtual_cost.h"

#define PACE_TURNS 4 /* of each part, over which the pace is a mean */

/* What a worker does with a part. */
struct turn {
	struct stn_part *part;
	const struct stn_shape *shape;
	struct stn_owner *owner;
	struct stn_record record; /* the kernel's arguments */
	const struct stn_task *kernel;
	uint64_t points; /* computed so far */
	bool copies;	 /* the part is to be copied afterwards */
	struct stn_copy *copy;
	uint64_t copy_ns;
	double value;	 /* of a measure */
};

static struct stn_owner *
owner_of(const struct stn_worker *worker)
{
	struct stn_steal *steal =
		stn_node_state(worker->node, &stn_steal_service);

	return &steal->owners[worker->number];
}

/* Calls the kernel for the points of @box. */
static void
turn_call(struct turn *turn, const struct stn_box *box, uint32_t to,
	  uint32_t from)
{
	struct stn_at at;

	stn_memory_at(&turn->part->memory, turn->shape, box, to, from, &at);
	at.value = 0;
	turn->kernel->run(&turn->owner->deque, &turn->record, NULL, &at);
	turn->value = at.value;
	turn->points += stn_box_points(box) / turn->shape->colours;
}

/* All layers, because a kernel reads the points outside of the grid in each. */
static void
turn_fill(struct turn *turn, const struct stn_box *box)
{
	struct stn_box all = stn_shape_fill(turn->shape, box);

	for (uint32_t i = 0; i < 2; i++)
		if (turn->part->memory.layers[i])
			turn_call(turn, &all, i, i);
}

/* The sweeps of a block: the last block of an operation may be shorter. */
static uint32_t
count_sweeps(const struct turn *turn)
{
	const struct stn_operation *operation = &turn->part->array->operation;
	uint64_t done =
		(turn->part->version - operation->base) * turn->shape->block;
	uint64_t left = operation->order.sweeps - done;

	return (uint32_t)(left < turn->shape->block ? left
						    : turn->shape->block);
}

static void
turn_sweep(struct turn *turn, const struct stn_box *box)
{
	struct stn_memory *memory = &turn->part->memory;
	uint32_t colours = turn->shape->colours;
	uint32_t steps = count_sweeps(turn) * colours;

	for (uint32_t i = 0; i < steps; i++) {
		struct stn_box step =
			stn_shape_step(turn->shape, box, steps - 1 - i);
		uint32_t from = memory->current, to = from;

		if (colours == 2) {
			to = i % 2;
			from = !to;
		} else if (turn->shape->copies == 2) {
			to = !from;
			memory->current = to;
		}
		turn_call(turn, &step, to, from);
	}
}

static void
turn_measure(struct turn *turn, const struct stn_box *box)
{
	uint32_t current = turn->part->memory.current;

	if (turn->shape->colours == 2)
		turn_call(turn, box, 0, 1);
	else
		turn_call(turn, box, current, current);
}

/* The part of the turn that needs no lock: computing. */
static void
turn_compute(struct turn *turn, struct stn_landings *cut)
{
	struct stn_part *part = turn->part;
	struct stn_box box = stn_shape_box(turn->shape, part->number);
	unsigned what = part->array->operation.order.what;

	SLIST_INIT(cut);
	if (what == STN_PARTS_FILL) {
		turn_fill(turn, &box);
		return;
	}
	stn_halo_unpack(part);
	if (what == STN_PARTS_SWEEPS) {
		turn_sweep(turn, &box);
		stn_halo_cut(part, part->version + 1, cut);
	} else {
		turn_measure(turn, &box);
	}
}

/*
 * Copying a point costs a quarter of a sweep of it, in virtual time: it is read and
 * written once, and nothing is computed.
 */
static void
turn_copy(struct turn *turn, struct stn_node *node)
{
	struct stn_box box = stn_shape_box(turn->shape, turn->part->number);
	uint64_t begin;

	if (!turn->copies)
		return;
	begin = stn_node_now(node);
	stn_computes(turn->owner);
	turn->copy = stn_copy_make(turn->part, turn->part->version + 1);
	turn->owner->deque.work +=
		stn_box_points(&box) / 4;
	stn_computed(turn->owner, 0);
	turn->copy_ns = stn_node_now(node) - begin;
}

/* The part's state after the turn. */
static void
turn_advance(struct turn *turn)
{
	struct stn_part *part = turn->part;
	const struct stn_operation *operation = &part->array->operation;
	bool over = true;

	switch (operation->order.what) {
	case STN_PARTS_FILL:
		stn_part_drop(part, part->version);
		part->fresh = ++part->version;
		break;
	case STN_PARTS_SWEEPS:
		stn_part_drop(part, part->version++);
		over = part->version == operation->base + operation->blocks;
		break;
	default:
		stn_part_drop(part, part->version);
		part->fresh = part->version;
		part->value = turn->value;
		break;
	}
	if (over)
		stn_gather_part(part);
}

/* Halves the sums from time to time, so that newer turns weigh more. */
static void
keep_pace(struct stn_parts *array, uint64_t took_ns, uint64_t points)
{
	struct stn_pace *pace = &array->pace;

	if (array->operation.order.what == STN_PARTS_SWEEPS) {
		pace->swept_ns += took_ns;
		pace->swept_points += points;
	}
	pace->busy_ns += took_ns;
	pace->points += points;
	pace->turns++;
	if (pace->turns < PACE_TURNS * (array->here + 1ull))
		return;
	pace->busy_ns /= 2;
	pace->points /= 2;
	pace->turns /= 2;
}

static void
drop_cut(struct stn_landings *cut)
{
	while (!SLIST_EMPTY(cut)) {
		struct stn_landing *landing = SLIST_FIRST(cut);

		SLIST_REMOVE_HEAD(cut, link);
		free(landing);
	}
}

static void
finish_turn(struct turn *turn, struct stn_landings *cut, uint64_t took_ns)
{
	struct stn_part *part = turn->part;
	struct stn_parts *array = part->array;

	part->running = false;
	array->running--;
	array->service->running--;
	if (array->restoring) { /* the turn was in vain */
		drop_cut(cut);
		free(turn->copy);
		stn_restore_begin(array);
		return;
	}
	keep_pace(array, took_ns, turn->points);
	turn_advance(turn);
	if (turn->copy)
		stn_copies_add(part, turn->copy, turn->copy_ns);
	stn_copies_check(part);
	stn_halo_deliver(part, cut);
	stn_part_consider(part);
	if (array->service->node->leaving)
		stn_depart_part(part);
	else
		stn_scheduler_swept(part);
	stn_gather_flush(array);
}

static void
take_turn(struct stn_part *part, struct stn_worker *worker, bool copies)
{
	const struct stn_operation *operation = &part->array->operation;
	struct turn turn = { .part = part,
			     .shape = &part->array->shape,
			     .owner = owner_of(worker),
			     .kernel = operation->kernel,
			     .copies = copies };
	struct stn_node *node = worker->node;
	uint64_t begin = stn_node_now(node), took;
	struct stn_landings cut;

	memcpy(turn.record.arguments, operation->order.arguments,
	       operation->order.argument_bytes);
	stn_computes(turn.owner);
	turn_compute(&turn, &cut);
	turn.owner->deque.work += turn.points;
	stn_computed(turn.owner, 0);
	took = stn_node_now(node) - begin; /* without the wait for the lock */
	turn_copy(&turn, node);
	stn_node_enter(node);
	finish_turn(&turn, &cut, took);
	stn_node_leave(node);
}

bool
stn_sweep_work(struct stn_parts_service *service, struct stn_worker *worker)
{
	struct stn_part *part;
	bool copies = false;

	/* A hint, relaxed: a worker that misses a part is woken. */
	if (!atomic_load_explicit(&service->ready.count, memory_order_relaxed))
		return false;
	stn_node_enter(service->node);
	part = stn_ready_take(service);
	if (part) {
		part->running = true;
		part->array->running++;
		service->running++;
		copies = stn_copies_due(part);
	}
	stn_node_leave(service->node);
	if (!part)
		return false;
	stn_worker_found(worker);
	take_turn(part, worker, copies);
	return true;
}
