/*
 * fractiling: each node has a tile, a run of parts. It sweeps half of its tile,
 * then half of the rest, and so on. A node whose tile is used up gets half of
 * what is left of the tile that has most left. Hummel, "Fractiling: a method
 * for scheduling parallel loops on NUMA machines", IBM RC18958, 1993; and
 * Banicescu, Ghafoor, Velusamy, Russ, Bilderback, "Experiences from integrating
 * algorithmic and systemic load balancing strategies", 2000, here "the paper".
 *
 * The fractiling master decides who gets what (tiles.h). It is the resident set
 * of node 0, which sweeps parts itself. A set that has swept what it was
 * granted asks the master (ASK). The answer (NONE) goes to the node that has
 * the tile; that node passes it on to the asker, with the parts behind it. A
 * part that was swept elsewhere goes back at once: so a part that no set has
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
#include <stdlib.h>
#include <string.h>

#include "node/dispatch.h"
#include "node/progress.h"
#include "node/setting.h"
#include "node/sleep.h"
#include "parts/array.h"
#include "parts/move.h"
#include "parts/ready.h"
#include "parts/scheduler.h"
#include "parts/seats.h"
#include "parts/tiles.h"

#define MASTER 0 /* its resident set */

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

/*
 * Sets that are to sweep a part; by the lowest bit of the version that the part
 * has then. Known where the part's tile is, and to these sets.
 */
struct grants {
	uint64_t version[2];
	uint32_t heir[2];
};

/* What a request says about the set that sends it. */
enum {
	DONE,	 /* it has swept all that it was granted */
	EARLY,	 /* it will have, soon */
	DONE_NOW /* the same set as in its last request, which was early */
};

struct fractiling {
	uint32_t sets;
	uint32_t least;
	uint64_t service_ns;

	/* Of the resident set on this node. */
	uint32_t left; /* parts granted, not swept */
	bool asking;   /* an answer is due */
	bool early;    /* to a request that was early */
	uint64_t asked_ns;
	uint64_t answer_ns; /* how long answers have taken, in the mean */

	/* Of the master, where it is. */
	bool master;
	uint64_t version, end;	 /* of the sweep; of the operation */
	uint32_t turns;		 /* requests so far */
	uint32_t serving;	 /* the set whose request is dealt with, */
	uint64_t served_ns;	 /* until then */
	struct stn_tile tiles[]; /* then the grants */
};

static struct grants *
grants_of(const struct stn_parts *array)
{
	struct fractiling *state = array->scheduling;

	return (struct grants *)(void *)&state->tiles[array->nodes];
}

static void
note_grant(struct stn_parts *array, uint32_t part, uint64_t version,
	   uint32_t heir)
{
	struct grants *grants = &grants_of(array)[part];

	grants->version[version & 1] = version;
	grants->heir[version & 1] = heir;
}

static uint32_t
tile_of(const struct stn_parts *array, uint32_t part)
{
	return stn_array_first_home(array, part);
}

static bool
is_here(const struct stn_parts *array, uint32_t set)
{
	return stn_seat_node(array->service, set) == array->service->node->rank;
}

/* After a view of the membership grants may be lost: parts stay where they are.
 */
static bool
is_over(const struct stn_parts *array)
{
	return array->regrouped || array->homes.count || array->nodes < 2;
}

/* Whether parts of the current operation are granted. */
static bool
hands_out(const struct stn_parts *array)
{
	return array->operation.order.what == STN_PARTS_SWEEPS &&
	       array->pause != UINT64_MAX;
}

static void
fractiling_created(struct stn_parts *array)
{
	const struct fractiling_settings *settings =
		stn_config_own(array->service->node->config, &fractiling_table);
	struct fractiling *state = array->scheduling;

	state->sets = array->nodes;
	state->least = (uint32_t)settings->least;
	state->service_ns = settings->service_ns;
	state->serving = STN_NOBODY;
	state->master = is_here(array, MASTER);
}

/* The part is to be swept here, or sent where it belongs. */
static void
place_part(struct stn_part *part)
{
	struct stn_parts *array = part->array;
	const struct grants *grants = &grants_of(array)[part->number];
	uint64_t next = part->version + 1;
	bool granted = grants->version[next & 1] == next;
	uint32_t set =
		granted ? grants->heir[next & 1] : tile_of(array, part->number);

	if (is_over(array) || !stn_part_can_move(part))
		return;
	if (!is_here(array, set)) {
		stn_part_give(part, stn_seat_node(array->service, set));
	} else if (granted) {
		part->granted = next;
		stn_part_consider(part);
	}
}

/* Notes the grants, and places those of the parts that are here. */
static void
note_answer(struct stn_parts *array, const struct stn_parts_ask *answer)
{
	uint32_t end = answer->parts + answer->gifts;

	for (uint32_t i = answer->parts; i < end; i++) {
		struct stn_part *part = stn_array_known(array, i);

		note_grant(array, i, answer->lowest, answer->next);
		if (part)
			place_part(part);
	}
}

static void
note_answer_time(struct fractiling *state, uint64_t now)
{
	uint64_t took = now - state->asked_ns;

	if (state->asking)
		state->answer_ns =
			state->answer_ns ? (state->answer_ns + took) / 2 : took;
	state->asking = false;
	state->early = false;
}

static void
pass_grant(struct stn_parts *array, struct stn_parts_ask answer, uint32_t to)
{
	stn_node_say(array->service->node, to, STN_PARTS_KIND_NONE, &answer,
		     sizeof(answer));
}

/*
 * A grant is where its tile is (or was), or has been passed on to its heir. The
 * heir hears of it before the parts come.
 */
static void
take_tile_grant(struct stn_parts *array, struct stn_parts_ask answer)
{
	struct fractiling *state = array->scheduling;
	uint32_t set = answer.passed ? answer.next : (uint32_t)answer.left;
	uint64_t now = stn_node_now(array->service->node);

	if (!is_here(array, set)) {
		pass_grant(array, answer, stn_seat_node(array->service, set));
		return;
	}
	if (answer.passed || answer.next == answer.left) {
		state->left += answer.gifts;
		note_answer_time(state, now);
	} else {
		answer.passed = true;
		pass_grant(array, answer,
			   stn_seat_node(array->service, answer.next));
	}
	note_answer(array, &answer);
}

/* On the master: the tiles are whole, or half of each has been granted. */
static void
begin_tiles(struct stn_parts *array, uint64_t version, bool halved)
{
	struct fractiling *state = array->scheduling;

	state->version = version;
	for (uint32_t i = 0; i < state->sets; i++) {
		struct stn_tile *tile = &state->tiles[i];

		tile->low = stn_array_first_part(array, i);
		tile->high = stn_array_first_part(array, i + 1ull);
		if (!halved)
			continue;
		tile->low +=
			stn_tile_chunk(tile->high - tile->low, state->least);
		tile->version = version;
	}
}

/*
 * Takes a chunk for set @set. False if it has to wait, or if all parts of the
 * operation have been granted.
 */
static bool
take_chunk(struct stn_parts *array, uint32_t set, struct stn_tile_chunk *chunk)
{
	struct fractiling *state = array->scheduling;
	struct stn_tile *tiles = state->tiles;

	if (stn_tile_take(tiles, state->sets, set, state->least, chunk))
		return true;
	if (state->version + 1 >= state->end ||
	    stn_tiles_behind(tiles, state->sets, state->version))
		return false;
	begin_tiles(array, state->version + 1, false);
	return stn_tile_take(tiles, state->sets, set, state->least, chunk);
}

/* On the master: answers set @set. False if it has to wait. */
static bool
grant_to(struct stn_parts *array, uint32_t set)
{
	struct fractiling *state = array->scheduling;
	struct stn_tile_chunk chunk;

	if (!take_chunk(array, set, &chunk))
		return false;
	state->tiles[set].operation = 0;
	state->tiles[set].version = state->version;
	take_tile_grant(array, (struct stn_parts_ask){
				       .array = array->id,
				       .lowest = state->version + 1,
				       .left = chunk.tile,
				       .parts = chunk.first,
				       .next = set,
				       .gifts = chunk.count,
			       });
	return true;
}

/* Answers requests, one after the other. */
static uint64_t
fractiling_look_after(struct stn_parts *array, uint64_t now)
{
	struct fractiling *state = array->scheduling;

	while (state->master && hands_out(array)) {
		uint32_t set = state->serving;

		if (set == STN_NOBODY) {
			set = stn_tile_first(state->tiles, state->sets,
					     array->operation.order.number);
			if (set == state->sets)
				break;
			state->serving = set;
			state->served_ns = now + state->service_ns;
		}
		if (now < state->served_ns)
			return state->served_ns;
		state->serving = STN_NOBODY;
		if (!grant_to(array, set))
			break; /* until another set asks */
	}
	return STN_FOREVER;
}

/* A request has come to where the master is, or was, or will soon be. */
static void
take_request(struct stn_parts *array, const struct stn_parts_ask *ask)
{
	struct stn_node *node = array->service->node;
	struct fractiling *state = array->scheduling;
	struct stn_tile *tile = &state->tiles[ask->next];

	if (!is_here(array, MASTER)) {
		stn_node_say(node, stn_seat_node(array->service, MASTER),
			     STN_PARTS_KIND_ASK, ask, sizeof(*ask));
		return;
	}
	tile->early = ask->lowest == EARLY;
	if (ask->lowest != DONE_NOW) {
		tile->operation = ask->gifts;
		tile->turn = state->turns++;
	}
	if (!state->service_ns)
		fractiling_look_after(array, stn_node_now(node));
	else
		stn_progress_kick(node);
}

static void
ask_master(struct stn_parts *array, uint64_t about)
{
	struct stn_parts_service *service = array->service;
	struct fractiling *state = array->scheduling;
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
		take_request(array, &ask);
}

/* The time that this node needs for what its set has been granted. */
static uint64_t
time_left(const struct stn_parts *array)
{
	const struct fractiling *state = array->scheduling;
	const struct stn_pace *pace = &array->pace;
	uint64_t workers = array->service->node->worker_count;

	return pace->turns ? pace->busy_ns / pace->turns * state->left / workers
			   : UINT64_MAX;
}

/*
 * Asks when the set has swept all that it was granted; with Hectiling, as long
 * before that as an answer takes.
 */
static void
want_work(struct stn_parts *array)
{
	const struct fractiling *state = array->scheduling;

	if (array->service->seat >= state->sets || !hands_out(array))
		return;
	if (!state->left && !state->asking)
		ask_master(array, DONE);
	else if (!state->left && state->early)
		ask_master(array, DONE_NOW);
	else if (array->service->foresees && !state->asking &&
		 time_left(array) <= state->answer_ns)
		ask_master(array, EARLY);
}

/*
 * The first half of this node's tile is granted. The parts themselves are
 * queued after this call; none can move yet.
 */
static void
grant_half(struct stn_parts *array, uint32_t set)
{
	struct fractiling *state = array->scheduling;
	uint64_t version = array->operation.base + 1;
	uint32_t first = stn_array_first_part(array, set);

	state->left = stn_tile_chunk(
		stn_array_first_part(array, set + 1ull) - first, state->least);
	state->asking = false;
	state->early = false;
	for (uint32_t i = first; i < first + state->left; i++) {
		struct stn_part *part = stn_array_known(array, i);

		note_grant(array, i, version, set);
		if (part && part->here && part->version + 1 == version)
			part->granted = version;
	}
}

static void
fractiling_begins(struct stn_parts *array)
{
	struct fractiling *state = array->scheduling;
	const struct stn_operation *operation = &array->operation;

	array->pause = UINT64_MAX;
	if (is_over(array) || operation->order.what != STN_PARTS_SWEEPS)
		return;
	array->pause = operation->base;
	if (array->service->seat < state->sets)
		grant_half(array, array->service->seat);
	if (!state->master)
		return;
	state->serving = STN_NOBODY;
	state->end = operation->base + operation->blocks;
	begin_tiles(array, operation->base, true);
	stn_progress_kick(array->service->node); /* requests may have come */
}

static void
fractiling_swept(struct stn_part *part)
{
	struct stn_parts *array = part->array;
	struct fractiling *state = array->scheduling;

	if (is_over(array))
		return;
	state->left -= state->left > 0;
	place_part(part);
	want_work(array);
}

static void
fractiling_arrived(struct stn_part *part)
{
	place_part(part);
}

/* A node whose tile has no part has nothing to sweep first. */
static uint64_t
fractiling_idle(struct stn_parts *array, uint64_t now)
{
	(void)now;
	if (!is_over(array))
		want_work(array);
	return STN_FOREVER;
}

static void
fractiling_asked(struct stn_parts *array, uint32_t from,
		 const struct stn_parts_ask *ask, uint64_t now)
{
	const struct fractiling *state = array->scheduling;

	(void)from;
	(void)now;
	if (!is_over(array) && ask->next < state->sets)
		take_request(array, ask);
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
	if (!is_over(array) && is_grant(array, answer))
		take_tile_grant(array, *answer);
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
	.state_bytes = sizeof(struct fractiling),
	.node_bytes = sizeof(struct stn_tile),
	.part_bytes = sizeof(struct grants),
	.settings = &fractiling_table,
	.created = fractiling_created,
	.begins = fractiling_begins,
	.swept = fractiling_swept,
	.arrived = fractiling_arrived,
	.idle = fractiling_idle,
	.asked = fractiling_asked,
	.answered = fractiling_answered,
	.regrouped = fractiling_regrouped,
	.look_after = fractiling_look_after,
};
