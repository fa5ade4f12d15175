/*
 * fractiling: each node has a tile, a run of parts. It sweeps half of its tile,
 * then half of the rest, and so on. A node whose tile is used up gets half of
 * what is left of the tile that has most left. Hummel, "Fractiling: a method
 * for scheduling parallel loops on NUMA machines", IBM RC18958, 1993; and
 * Banicescu, Ghafoor, Velusamy, Russ, Bilderback, "Experiences from integrating
 * algorithmic and systemic load balancing strategies", 2000, here "the paper".
 *
 * The fractiling master decides which set gets which parts (tiles.h). It is the
 * resident set of node 0, which sweeps parts itself. A set that has swept what
 * it was granted asks the master (ASK). The answer (NONE) goes to the node that
 * has the tile; that node passes it on to the asker, with the parts behind it.
 * A part that was swept elsewhere goes back at once: so a part that no set has
 * been granted is where its tile is, or on its way there.
 *
 * When all parts of a sweep are granted, and all of the sweep before are swept,
 * the next sweep of the same STN_SWEEPS begins. So a part has two grants at a
 * time, at most. The first half of each tile in an operation's first sweep is
 * granted without a message.
 *
 * The paper leaves open: what is half of an odd number (here: rounded up), from
 * which end of a tile others get their parts (its end), and how long the master
 * takes to answer (--fractiling-service).
 */
#include "node/dispatch.h"
#include "node/progress.h"
#include "node/setting.h"
#include "node/sleep.h"
#include "parts/array.h"
#include "parts/moves/move.h"
#include "parts/ready.h"
#include "parts/schedulers/fractiling.h"
#include "parts/schedulers/fractiling_master.h"
#include "parts/seats.h"

struct fractiling_settings {
	uint64_t least, service_ns;
};

static const struct stn_setting fractiling_rows[] = {
	{ "fractiling-chunk", 0, COUNT,
	  offsetof(struct fractiling_settings, least), "1", 1, 1u << 30,
	  "parts", "least chunk" },
	{ "fractiling-service", 0, DURATION,
	  offsetof(struct fractiling_settings, service_ns), "0s", 0, 0, "time",
	  "the master takes so long for a request, one after the other" },
};

static const struct stn_setting_table fractiling_table = {
	.rows = fractiling_rows,
	.count = sizeof(fractiling_rows) / sizeof(fractiling_rows[0]),
	.bytes = sizeof(struct fractiling_settings),
};

static void
fractiling_created(struct stn_parts *array)
{
	const struct fractiling_settings *settings =
		stn_config_own(array->service->node->config, &fractiling_table);
	struct stn_fractiling *state = array->scheduling;

	state->sets = array->nodes;
	state->least = (uint32_t)settings->least;
	state->service_ns = settings->service_ns;
	state->serving = STN_NOBODY;
	state->master = stn_fractiling_is_master(array);
}

static void
ask_master(struct stn_parts *array, uint64_t about)
{
	struct stn_parts_service *service = array->service;
	struct stn_fractiling *state = array->scheduling;
	const struct stn_parts_ask ask = {
		.array = array->id,
		.lowest = about,
		.next = service->seat,
		.gifts = array->operation.order.number,
	};

	if (about != DONE_NOW)
		state->asked_ns = stn_node_now(service->node);
	state->asking = true;
	state->early = about == EARLY;
	if (service->request)
		service->request(service, &ask);
	else
		stn_fractiling_request(array, &ask);
}

/* The time that this node needs for what its set has been granted. */
static uint64_t
time_left(const struct stn_parts *array)
{
	const struct stn_fractiling *state = array->scheduling;
	const struct stn_pace *pace = &array->pace;
	uint64_t workers = array->service->node->worker_count;

	return pace->turns ? pace->busy_ns / pace->turns * state->left / workers
			   : UINT64_MAX;
}

/*
 * Asks when the set has swept all that it was granted; with Hectiling, as long
 * before that as an answer takes.
 */
void
stn_fractiling_want(struct stn_parts *array)
{
	const struct stn_fractiling *state = array->scheduling;

	/* A set that has just come may be an operation ahead of this node. */
	if (array->service->seat >= state->sets ||
	    state->operation != array->operation.order.number ||
	    !stn_fractiling_hands_out(array))
		return;
	if (!state->left && !state->asking)
		ask_master(array, DONE);
	else if (!state->left && state->early && array->operation.blocks > 1)
		ask_master(array, DONE_NOW); /* another sweep may wait for it */
	else if (array->service->foresees && !state->asking &&
		 time_left(array) <= state->answer_ns)
		ask_master(array, EARLY);
}

/*
 * The first half of the tile of the set on this node is granted. Parts are
 * queued after this call, if an operation begins; none can move yet.
 */
static void
grant_half(struct stn_parts *array, uint32_t set)
{
	struct stn_fractiling *state = array->scheduling;
	uint64_t version = array->operation.base + 1;
	uint32_t first = stn_fractiling_tile(array, set);

	state->left = stn_tile_chunk(
		stn_fractiling_tile(array, set + 1ull) - first, state->least);
	state->asking = false;
	state->early = false;
	for (uint32_t i = first; i < first + state->left; i++) {
		struct stn_part *part = stn_array_known(array, i);

		stn_fractiling_note(array, i, version, set);
		if (part && part->here && part->version + 1 == version)
			part->granted = version;
	}
}

/* The set may have begun on another node, and come here since. */
static void
begin_set(struct stn_parts *array)
{
	struct stn_fractiling *state = array->scheduling;

	if (state->operation != array->operation.order.number &&
	    array->service->seat < state->sets)
		grant_half(array, array->service->seat);
	state->operation = array->operation.order.number;
	if (!state->left)
		stn_node_wake(array->service->node); /* it asks: see idle */
}

void
stn_fractiling_begin(struct stn_parts *array)
{
	struct stn_fractiling *state = array->scheduling;

	if (!state->expected)
		begin_set(array);
	if (state->master)
		stn_fractiling_master_begin(array);
}

static void
fractiling_begins(struct stn_parts *array)
{
	const struct stn_operation *operation = &array->operation;

	array->pause = UINT64_MAX;
	if (stn_fractiling_over(array) ||
	    operation->order.what != STN_PARTS_SWEEPS)
		return;
	array->pause = operation->base;
	stn_fractiling_begin(array);
}

static void
fractiling_swept(struct stn_part *part)
{
	struct stn_parts *array = part->array;
	struct stn_fractiling *state = array->scheduling;

	if (stn_fractiling_over(array))
		return;
	state->left -= state->left > 0;
	stn_fractiling_place(part);
	stn_fractiling_want(array);
}

static void
fractiling_arrived(struct stn_part *part)
{
	stn_fractiling_place(part);
}

/* A node whose tile has no part has nothing to sweep first. */
static uint64_t
fractiling_idle(struct stn_parts *array, uint64_t now)
{
	(void)now;
	if (!stn_fractiling_over(array))
		stn_fractiling_want(array);
	return STN_FOREVER;
}

static void
fractiling_asked(struct stn_parts *array, uint32_t from,
		 const struct stn_parts_ask *ask, uint64_t now)
{
	const struct stn_fractiling *state = array->scheduling;

	(void)from;
	(void)now;
	if (!stn_fractiling_over(array) && ask->next < state->sets)
		stn_fractiling_request(array, ask);
}

static bool
is_grant(const struct stn_parts *array, const struct stn_parts_ask *answer)
{
	return answer->next < array->nodes && answer->left < array->nodes &&
	       answer->gifts && answer->parts < array->count &&
	       answer->gifts <= array->count - answer->parts;
}

static void
fractiling_answered(struct stn_parts *array, uint32_t from,
		    const struct stn_parts_ask *answer, uint64_t now)
{
	(void)from;
	(void)now;
	if (!stn_fractiling_over(array) && is_grant(array, answer))
		stn_fractiling_take(array, *answer);
}

static void
release_part(struct stn_part *part, void *arg)
{
	(void)arg;
	stn_part_consider(part);
}

static void
fractiling_regrouped(struct stn_parts *array)
{
	array->pause = UINT64_MAX;
	stn_array_each(array, release_part, NULL);
}

const struct stn_scheduler stn_scheduler_fractiling = {
	.name = "fractiling",
	.help = "nodes take halves of their tiles, then of the fullest tile",
	.state_bytes = sizeof(struct stn_fractiling),
	.node_bytes = sizeof(struct stn_tile),
	.part_bytes = sizeof(struct stn_fractiling_grants),
	.settings = &fractiling_table,
	.created = fractiling_created,
	.begins = fractiling_begins,
	.swept = fractiling_swept,
	.arrived = fractiling_arrived,
	.idle = fractiling_idle,
	.asked = fractiling_asked,
	.answered = fractiling_answered,
	.regrouped = fractiling_regrouped,
	.look_after = stn_fractiling_look_after,
	.pack = stn_fractiling_pack,
	.expect = stn_fractiling_expect,
	.unpack = stn_fractiling_unpack,
	.resident = true,
};
