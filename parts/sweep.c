#include "parts/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "node/progress.h"
#include "parts/array.h"
#include "parts/cells/block.h"
#include "parts/cells/cells_turn.h"
#include "parts/cells/near.h"
#include "parts/early.h"
#include "parts/gather.h"
#include "parts/halo.h"
#include "parts/moves/depart.h"
#include "parts/points.h"
#include "parts/ready.h"
#include "parts/scheduler.h"
#include "parts/seats.h"
#include "parts/survive/copies.h"
#include "parts/survive/restore.h"
#include "parts/survive/second.h"
#include "parts/survive/store.h"
#include "parts/traced.h"
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
	unsigned char **spare; /* the worker's layer */
	uint64_t points;       /* computed so far */
	bool copies;	       /* the part is to be copied afterwards */
	struct stn_copy *copy;
	uint64_t copy_ns;
	double value;		 /* of a measure */
	struct stn_landings cut; /* pieces for other parts */
};

static struct stn_owner *
owner_of(const struct stn_worker *worker)
{
	struct stn_steal *steal =
		stn_node_state(worker->node, &stn_steal_service);

	return &steal->owners[worker->number];
}

static void
turn_run(struct turn *turn, struct stn_at *at)
{
	turn->kernel->run(&turn->owner->deque, &turn->record, NULL, at);
}

/* Calls the kernel for the points of @box; if they have no data, only counts.
 */
static void
turn_call(struct turn *turn, const struct stn_box *box, uint32_t to,
	  uint32_t from)
{
	struct stn_at at;

	turn->points += stn_box_points(box) / turn->shape->colours;
	if (turn->shape->hollow)
		return;
	stn_memory_at(&turn->part->memory, turn->shape, box, to, from, &at);
	at.value = 0;
	turn_run(turn, &at);
	turn->value = at.value;
}

/*
 * Computes the points outside of the grid that a step on @box reads in layer
 * @layer. With colours, their kernel also reads layer @other.
 */
static void
turn_boundary(const struct turn *turn, const struct stn_box *box,
	      uint32_t layer, uint32_t other)
{
	const struct stn_boundary *boundary = &turn->part->array->boundary;
	struct stn_box outside[STN_OUTSIDES];
	uint32_t count = 0;

	if (boundary->kernel && !turn->shape->hollow)
		count = stn_shape_outside(turn->shape, box, outside);
	for (uint32_t i = 0; i < count; i++) {
		struct stn_at at;

		stn_memory_at(&turn->part->memory, turn->shape, &outside[i],
			      layer, other, &at);
		boundary->kernel->run(&turn->owner->deque, &boundary->record,
				      NULL, &at);
	}
}

static void
turn_fill(struct turn *turn, const struct stn_box *box)
{
	struct stn_box all = stn_shape_fill(turn->shape, box);

	for (uint32_t i = 0; i < turn->shape->colours; i++)
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

/* The rows of a plane from @row on: @at describes the plane. */
static struct stn_at
some_rows(const struct stn_at *at, const struct stn_memory *memory, long row,
	  long rows)
{
	struct stn_at some = *at;
	uint64_t offset = (uint64_t)row * memory->row_bytes;

	some.to = (unsigned char *)at->to + offset;
	some.from = (const unsigned char *)at->from + offset;
	some.rows = rows < at->rows - row ? rows : at->rows - row;
	some.row += row;
	some.parity = (int)((at->parity + row) & 1);
	return some;
}

/*
 * The first step of a block, for a few rows at a time. Meanwhile the next rows
 * come into the cache: the processor's own prefetching is slower, above all if
 * the layer that is written is in the cache already. With colours neither layer
 * is: a block of one sweep is 3 to 7 % faster without this function, but longer
 * blocks are 1 or 2 % slower (bench-parts, SOR, user time, AMD EPYC).
 */
static void
turn_stream(struct turn *turn, const struct stn_box *box, uint32_t to,
	    uint32_t from)
{
	const struct stn_memory *memory = &turn->part->memory;
	long rows = stn_memory_strip(memory, turn->shape);
	struct stn_box plane = *box;
	uint64_t fetched = 0;

	for (int64_t i = box->low[0]; i < box->high[0]; i++) {
		struct stn_at at;

		plane.low[0] = i;
		plane.high[0] = i + 1;
		stn_memory_at(memory, turn->shape, &plane, to, from, &at);
		for (long row = 0; row < at.rows; row += rows) {
			struct stn_at some = some_rows(&at, memory, row, rows);

			fetched =
				stn_memory_fetch(memory, turn->shape, i,
						 some.row + 2 * rows, fetched);
			turn_run(turn, &some);
		}
	}
	turn->points += stn_box_points(box) / turn->shape->colours;
}

/* For a grid's option .progress. A point that two parts compute counts once. */
static void
turn_report(const struct turn *turn, const struct stn_box *box)
{
	if (turn->part->array->create.progress)
		stn_progress(&turn->owner->deque,
			     stn_box_points(box) * count_sweeps(turn), 0);
}

/* Lends the worker's spare layer to the part. */
static void
turn_borrow(struct turn *turn)
{
	struct stn_part *part = turn->part;

	if (!*turn->spare && !turn->shape->hollow) {
		*turn->spare = stn_layer_create(turn->shape);
		if (!*turn->spare)
			stn_array_no_memory(part->array);
	}
	stn_memory_lend(&part->memory, turn->shape, part->number, *turn->spare);
}

static void
turn_sweep(struct turn *turn, const struct stn_box *box)
{
	struct stn_memory *memory = &turn->part->memory;
	uint32_t colours = turn->shape->colours;
	uint32_t steps = count_sweeps(turn) * colours;

	if (turn->shape->copies == 2)
		turn_borrow(turn);
	for (uint32_t i = 0; i < steps; i++) {
		struct stn_box step =
			stn_shape_step(turn->shape, box, steps - 1 - i);
		uint32_t from = memory->current, to = from;

		if (colours == 2) {
			to = i % 2;
			from = !to;
			turn_boundary(turn, &step, from, to);
		} else if (turn->shape->copies == 2) {
			to = !from;
			memory->current = to;
			turn_boundary(turn, &step, from, from);
		}
		if (i || turn->shape->hollow || (colours == 2 && steps == 2))
			turn_call(turn, &step, to, from);
		else
			turn_stream(turn, &step, to, from);
	}
	if (turn->shape->copies == 2)
		*turn->spare = stn_memory_return(memory);
}

static void
turn_measure(struct turn *turn, const struct stn_box *box)
{
	uint32_t current = turn->part->memory.current;

	if (turn->shape->colours == 2) {
		turn_boundary(turn, box, 0, 1);
		turn_boundary(turn, box, 1, 0);
		turn_call(turn, box, 0, 1);
	} else {
		turn_boundary(turn, box, current, current);
		turn_call(turn, box, current, current);
	}
}

static void
turn_cells(struct turn *turn)
{
	struct stn_cells_turn cells = { .part = turn->part,
					.deque = &turn->owner->deque,
					.record = &turn->record,
					.kernel = turn->kernel };

	stn_cells_turn(&cells);
	turn->points = cells.work;
	turn->value = cells.value;
}

/* The part of the turn that needs no lock: computing. */
static void
turn_compute(struct turn *turn)
{
	struct stn_part *part = turn->part;
	struct stn_box box = stn_shape_box(turn->shape, part->number);

	if (!stn_part_is_meant(part))
		return;
	if (part->array->cells) {
		turn_cells(turn);
		return;
	}
	switch (part->array->operation.order.what) {
	case STN_PARTS_FILL:
		turn_fill(turn, &box);
		break;
	case STN_PARTS_SWEEPS:
		stn_halo_unpack(part);
		turn_sweep(turn, &box);
		turn_report(turn, &box);
		stn_halo_cut(part, part->version + 1, &turn->cut);
		break;
	case STN_PARTS_REFRESH:
		stn_halo_cut(part, part->version + 1, &turn->cut);
		break;
	case STN_PARTS_DEAL:
		stn_points_unpack(part, part->dealt);
		break;
	default:
		stn_halo_unpack(part);
		turn_measure(turn, &box);
	}
}

/* Or records. */
static uint64_t
count_points(const struct stn_part *part)
{
	struct stn_box box;

	if (part->array->cells)
		return part->memory.block->head->count;
	box = stn_shape_box(&part->array->shape, part->number);
	return stn_box_points(&box);
}

/*
 * Copying a point costs a quarter of a sweep of it, in virtual time: it is read
 * and written once, and nothing is computed.
 */
static void
turn_copy(struct turn *turn, struct stn_node *node)
{
	uint64_t begin;

	if (!turn->copies)
		return;
	begin = stn_node_now(node);
	stn_computes(turn->owner);
	turn->copy = stn_copy_make(turn->part, turn->part->version + 1);
	turn->owner->deque.work += count_points(turn->part) / 4;
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

	if (!stn_part_is_meant(part)) {
		stn_gather_part(part);
		return;
	}
	switch (operation->order.what) {
	case STN_PARTS_FILL:
	case STN_CELLS_JOIN:
		stn_part_drop(part, part->version);
		part->fresh = ++part->version;
		break;
	case STN_PARTS_SWEEPS:
	case STN_PARTS_REFRESH:
		stn_part_drop(part, part->version++);
		over = part->version == operation->base + operation->blocks;
		break;
	case STN_PARTS_DEAL:
		free(part->dealt);
		part->dealt = NULL;
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

/*
 * Times are those of the node's clock, not of the thread's, so that they
 * include foreign loads: while another process has the processor, a kernel
 * takes longer. Measured with a competing process, a niced one, and duty cycles
 * from 10 ms to 1 s, settle then needs 0.96 to 1.03 of the perfect time (make
 * bench-load-real). A mean over ten times as many turns takes longer to notice
 * a change: 1.16 with a duty cycle of 1 s.
 *
 * Halves the sums from time to time, so that newer turns weigh more.
 */
static void
keep_pace(struct stn_parts *array, uint64_t took_ns, uint64_t points)
{
	struct stn_pace *pace = &array->pace;

	if (array->operation.order.what == STN_PARTS_SWEEPS) {
		array->service->counts.last_sweep_ns =
			stn_node_now(array->service->node) -
			array->operation.begin_ns;
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
finish_turn(struct turn *turn, uint64_t took_ns)
{
	struct stn_part *part = turn->part;
	struct stn_parts *array = part->array;

	part->running = false;
	array->running--;
	array->service->running--;
	array->service->counts.turns++;
	array->service->counts.points += turn->points;
	if (array->restoring) { /* the turn was in vain */
		drop_cut(&turn->cut);
		free(turn->copy);
		stn_restore_begin(array);
		return;
	}
	if (array->operation.order.what < STN_PARTS_FREE)
		keep_pace(array, took_ns, turn->points);
	if (array->cells)
		stn_cells_turn_end(part, took_ns);
	turn_advance(turn);
	/* Not before: it may queue the part, as soon as a copy has left. */
	if (array->cells)
		stn_near_answer(part);
	if (turn->copy) {
		stn_copies_add(part, turn->copy, turn->copy_ns);
		stn_store_copy(part, turn->copy, turn->copy_ns);
		stn_copy_release(turn->copy);
	}
	stn_copies_check(part);
	stn_store_check(part);
	stn_halo_deliver(part, &turn->cut);
	stn_second_swept(part); /* behind the pieces of the halo */
	stn_part_consider(part);
	if (array->service->node->leaving) {
		stn_depart_part(part);
	} else {
		stn_scheduler_swept(part);
		stn_seat_pass(part);
	}
	stn_gather_flush(array);
	stn_early_retry(array->service); /* points may be wanted of the part */
}

static void
take_turn(struct stn_part *part, struct stn_worker *worker, bool copies)
{
	const struct stn_operation *operation = &part->array->operation;
	struct turn turn = { .part = part,
			     .shape = &part->array->shape,
			     .owner = owner_of(worker),
			     .kernel = operation->kernel,
			     .spare = &part->array->spares[worker->number],
			     .copies = copies };
	struct stn_node *node = worker->node;
	uint64_t begin = stn_node_now(node), took;

	memcpy(turn.record.arguments, operation->order.arguments,
	       operation->order.argument_bytes);
	stn_computes(turn.owner);
	turn_compute(&turn);
	turn.owner->deque.work += turn.points;
	stn_computed(turn.owner, 0);
	took = stn_node_now(node) - begin; /* without the wait for the lock */
	turn_copy(&turn, node);
	worker->graph.partial = true;
	stn_trace_ended(worker, STN_TRACE_TURN, begin, part->number, STN_NOBODY);
	stn_node_enter(node);
	finish_turn(&turn, took);
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
		if (part->array->cells)
			stn_cells_turn_begin(part);
		copies = stn_copies_due(part) || stn_store_due(part);
	}
	stn_node_leave(service->node);
	if (!part)
		return false;
	stn_worker_found(worker);
	take_turn(part, worker, copies);
	return true;
}
