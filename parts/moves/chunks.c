/*
 * chunks.c: the root grants a part for a sweep when all parts have been granted
 * for the sweep before, though not all are swept.
 *
 * Parts are paused (struct stn_parts, pause) unless they are granted.
 */
#include "parts/moves/chunks.h"

#include <math.h>

#include "node/dispatch.h"
#include "node/progress.h"
#include "node/sleep.h"
#include "parts/array.h"
#include "parts/moves/chunks_view.h"
#include "parts/moves/grants.h"
#include "parts/ready.h"

/* Numbers of parts that lie together, of one home. */
struct run {
	uint32_t first, count, home;
};

static uint32_t
chunks_rank(const struct stn_parts *array)
{
	return array->service->node->rank;
}

static bool
hands_out(const struct stn_parts *array)
{
	return chunks_rank(array) == array->service->node->members.root;
}

static bool
is_off(const struct stn_parts *array)
{
	const struct stn_chunks *chunks = array->scheduling;

	return chunks->off || chunks->stopped;
}

static bool
has_node(const struct stn_parts *array, uint32_t rank)
{
	const struct stn_chunks *chunks = array->scheduling;

	return rank < chunks->ranks && !chunks->of[rank].absent;
}

static void
create_piles(struct stn_parts *array)
{
	struct stn_chunks *chunks = array->scheduling;
	struct stn_piles *piles = &chunks->piles;

	piles->nodes = chunks->ranks;
	piles->parts = array->count;
	piles->of = (struct stn_pile *)(void *)&stn_chunks_parts(
		chunks)[array->count];
	piles->each = (struct stn_piled *)&piles->of[chunks->ranks];
	for (uint32_t i = 0; i < array->count; i++)
		piles->each[i].home = stn_array_first_home(array, i);
}

static bool
is_paused(const struct stn_parts *array)
{
	return array->operation.order.what == STN_PARTS_SWEEPS &&
	       array->pause != UINT64_MAX;
}

static void
take_grant(struct stn_parts *array, const struct stn_parts_ask *grant)
{
	struct stn_chunks *chunks = array->scheduling;

	if (grant->next == chunks_rank(array) && !grant->passed) {
		chunks->left += grant->gifts;
		chunks->asking = false;
	}
	stn_grants_take(array, grant);
}

/* Tells the home of the parts and their heir. */
static void
send_grant(struct stn_parts *array, const struct run *run, uint32_t to)
{
	const struct stn_chunks *chunks = array->scheduling;
	struct stn_node *node = array->service->node;
	struct stn_parts_ask grant = { .array = array->id,
				       .ns_per_part = chunks->unsure,
				       .gift_ns = chunks->view,
				       .lowest = chunks->version + 1,
				       .left = run->home,
				       .parts = run->first,
				       .next = to,
				       .gifts = run->count };

	if (run->home != node->rank)
		stn_node_say(node, run->home, STN_PARTS_KIND_NONE, &grant,
			     sizeof(grant));
	if (to != node->rank && to != run->home)
		stn_node_say(node, to, STN_PARTS_KIND_NONE, &grant,
			     sizeof(grant));
	if (run->home == node->rank || to == node->rank)
		take_grant(array, &grant);
}

/* Grants up to @most parts of @home to @to: from the end that is nearer. */
static uint32_t
grant_parts(struct stn_parts *array, uint32_t home, uint32_t to, uint32_t most)
{
	struct stn_chunks *chunks = array->scheduling;
	struct stn_piles *piles = &chunks->piles;
	struct run run = { 0, 0, home };
	uint32_t granted = 0;

	for (; granted < most && piles->of[home].count; granted++) {
		uint32_t i = stn_piles_take(piles, home, to > home);

		if (run.count && i != run.first + run.count &&
		    i + 1 != run.first) {
			send_grant(array, &run, to);
			run.count = 0;
		}
		if (!run.count || i < run.first)
			run.first = i;
		run.count++;
		piles->each[i].home = to;
	}
	chunks->ungranted -= granted;
	chunks->of[to].granted += granted;
	if (run.count)
		send_grant(array, &run, to);
	return granted;
}

static void
begin_sweep(struct stn_parts *array, uint64_t version)
{
	struct stn_chunks *chunks = array->scheduling;

	chunks->version = version;
	chunks->ungranted = array->count;
	chunks->batch_chunks = 0;
	chunks->first_batch = true;
	stn_piles_fill(&chunks->piles);
}

/*
 * Begins with the operation, at version @version, to which parts may have
 * returned. At the operation's end no sweep is left to grant: the nodes would
 * use the grants in the next operation, for which they get others.
 */
static void
begin_from(struct stn_parts *array, uint64_t version)
{
	struct stn_chunks *chunks = array->scheduling;

	chunks->end = array->operation.base + array->operation.blocks;
	if (version < chunks->end) {
		begin_sweep(array, version);
		return;
	}
	chunks->version = version;
	chunks->ungranted = 0;
}

/* On the root: grants a chunk to a node that wants one. */
static void
grant_chunk(struct stn_parts *array, uint32_t to)
{
	struct stn_chunks *chunks = array->scheduling;
	uint32_t size, home = to;
	double wanted;

	if (!chunks->ungranted) {
		if (chunks->version + 1 >= chunks->end)
			return;
		chunks->sweeps++;
		chunks->unsure = false;
		begin_sweep(array, chunks->version + 1);
	}
	chunks->of[to].wants = false;
	wanted = chunks->size(chunks, to);
	size = wanted < 1		    ? 1
	       : wanted < chunks->ungranted ? (uint32_t)ceil(wanted)
					    : chunks->ungranted;
	while (size) {
		size -= grant_parts(array, home, to, size);
		home = size ? stn_piles_highest(&chunks->piles) : home;
	}
}

/*
 * Whether the node has swept all parts of its last chunk. If it hears of a part
 * of the chunk late, it may ask before. A chunk now could bring it a part that
 * it still has to give away, and then the home would forget one of two grants.
 * The node asks again when it has swept the rest.
 */
static bool
has_swept_chunk(const struct stn_parts *array, uint32_t node)
{
	const struct stn_chunks *chunks = array->scheduling;
	const struct stn_chunks_node *of = &chunks->of[node];

	return of->wants && of->operation == array->operation.order.number &&
	       of->parts >= of->granted;
}

/* On the root: grants chunks to all that want one for this operation. */
static void
grant_chunks(struct stn_parts *array)
{
	const struct stn_chunks *chunks = array->scheduling;

	for (uint32_t i = 0; i < chunks->ranks && is_paused(array); i++)
		if (has_swept_chunk(array, i))
			grant_chunk(array, i);
}

static void
note_times(struct stn_chunks_node *of, double parts, double ns, double squares)
{
	if (!(parts > 0))
		return;
	of->chunks++;
	of->parts += parts;
	of->ns += ns;
	of->squares += squares;
	of->last_parts = parts;
	of->last_ns = ns;
	of->last_squares = squares;
	of->weighted_parts += of->chunks * parts;
	of->weighted_ns += of->chunks * ns;
}

/* Asks the root for a chunk. On the root stn_chunks_idle grants it. */
static void
want_chunk(struct stn_parts *array)
{
	struct stn_chunks *chunks = array->scheduling;
	double mean_ns = chunks->parts > 0 ? chunks->ns / chunks->parts : 0;
	struct stn_parts_ask ask = { .array = array->id,
				     .ns_per_part = (uint64_t)mean_ns,
				     .gift_ns = chunks->view,
				     .squares = chunks->squares,
				     .parts = (uint32_t)chunks->parts,
				     .next = STN_NOBODY,
				     .gifts = array->operation.order.number };
	struct stn_chunks_node *own = &chunks->of[chunks_rank(array)];
	struct stn_node *node = array->service->node;

	if (is_off(array) || chunks->asking || chunks->left > 0 ||
	    !is_paused(array))
		return;
	chunks->asking = true;
	chunks->parts = chunks->ns = chunks->squares = 0;
	if (!hands_out(array)) {
		stn_node_say(node, node->members.root, STN_PARTS_KIND_ASK, &ask,
			     sizeof(ask));
		return;
	}
	note_times(own, ask.parts, mean_ns * ask.parts, ask.squares);
	own->wants = true;
	own->operation = ask.gifts;
	grant_chunks(array);
}

static void
consider_part(struct stn_part *part, void *arg)
{
	(void)arg;
	stn_part_consider(part);
}

/* On the root, which knows where most parts are, if not all of them. */
static void
begin_again(struct stn_parts *array, uint64_t version)
{
	struct stn_chunks *chunks = array->scheduling;

	for (uint32_t i = 0; i < array->count; i++) {
		uint32_t *home = &chunks->piles.each[i].home;

		if (!has_node(array, *home))
			*home = stn_array_home(array, i);
		if (!has_node(array, *home))
			*home = chunks_rank(array);
	}
	chunks->unsure = true;
	begin_from(array, version);
}

/* Chunks are handed out from version @version on. */
static void
resume(struct stn_parts *array, uint64_t version)
{
	struct stn_chunks *chunks = array->scheduling;

	if (version < array->operation.base)
		version = array->operation.base;
	chunks->stopped = false;
	array->pause = array->operation.order.what == STN_PARTS_SWEEPS
			       ? version
			       : UINT64_MAX;
	stn_array_each(array, consider_part, NULL);
	if (hands_out(array))
		begin_again(array, version);
	want_chunk(array);
	stn_node_wake(array->service->node);
}

/* On the root: node @from has told the newest version that it knows. */
static void
hear_newest(struct stn_parts *array, uint32_t from,
	    const struct stn_parts_ask *told)
{
	const struct stn_chunks *chunks = array->scheduling;
	struct stn_parts_ask news = { .array = array->id,
				      .gift_ns = chunks->view,
				      .next = STN_NOBODY };

	if (!stn_chunks_heard(array, from, told, &news.lowest))
		return;
	for (uint32_t i = 0; i < chunks->ranks; i++)
		if (has_node(array, i) && i != chunks_rank(array))
			stn_node_say(array->service->node, i,
				     STN_PARTS_KIND_NONE, &news, sizeof(news));
	resume(array, news.lowest);
}

void
stn_chunks_regrouped(struct stn_parts *array)
{
	/* Its scheduling will be made anew. */
	if (array->restoring)
		return;
	stn_chunks_stop(array);
	if (hands_out(array))
		hear_newest(array, chunks_rank(array),
			    &(struct stn_parts_ask){
				    .lowest = stn_chunks_newest(array),
				    .gift_ns = array->service->view });
}

/*
 * The root knows where the parts of a new array are, and of one whose parts
 * have just returned to an earlier version. A node that has joined gets to know
 * other arrays later than the others.
 */
void
stn_chunks_create(struct stn_parts *array,
		  double (*size)(struct stn_chunks *chunks, uint32_t node))
{
	struct stn_chunks *chunks = array->scheduling;

	chunks->size = size;
	chunks->ranks = array->service->node->topology->nodes;
	chunks->marked_ns = array->pace.swept_ns;
	create_piles(array);
	if (array->cells || array->id.generation != array->service->view)
		stn_chunks_regrouped(array);
	else
		stn_chunks_note_nodes(array);
}

/* Parts can't move here: they are not counted as unfinished yet. */
void
stn_chunks_begins(struct stn_parts *array)
{
	struct stn_chunks *chunks = array->scheduling;
	uint64_t base = array->operation.base;

	array->pause = UINT64_MAX;
	if (chunks->off || array->operation.order.what != STN_PARTS_SWEEPS ||
	    chunks->nodes < 2 || !has_node(array, chunks_rank(array)))
		return;
	array->pause = base;
	if (chunks->stopped)
		return;
	chunks->asking = false;
	if (!hands_out(array)) {
		want_chunk(array);
		return;
	}
	begin_from(array, array->restored > base ? array->restored : base);
	stn_node_wake(array->service->node);
}

static void
note_version(const struct stn_part *part)
{
	struct stn_chunks *chunks = part->array->scheduling;

	if (part->version > chunks->newest)
		chunks->newest = part->version;
}

void
stn_chunks_swept(struct stn_part *part)
{
	struct stn_parts *array = part->array;
	struct stn_chunks *chunks = array->scheduling;
	double ns = (double)(array->pace.swept_ns - chunks->marked_ns);

	chunks->marked_ns = array->pace.swept_ns;
	note_version(part);
	if (!is_paused(array))
		return;
	if (part->version == part->granted) {
		chunks->parts++;
		chunks->ns += ns;
		chunks->squares += ns * ns;
		chunks->left--;
	}
	stn_grants_apply(part);
	want_chunk(array);
}

void
stn_chunks_arrived(struct stn_part *part)
{
	note_version(part);
	if (is_paused(part->array))
		stn_grants_apply(part);
}

uint64_t
stn_chunks_idle(struct stn_parts *array, uint64_t now)
{
	(void)now;
	if (is_off(array))
		return STN_FOREVER;
	want_chunk(array);
	if (hands_out(array))
		grant_chunks(array);
	return STN_FOREVER;
}

void
stn_chunks_asked(struct stn_parts *array, uint32_t from,
		 const struct stn_parts_ask *ask, uint64_t now)
{
	struct stn_chunks *chunks = array->scheduling;

	(void)now;
	if (!hands_out(array))
		return;
	if (ask->next == from) {
		hear_newest(array, from, ask);
		return;
	}
	if (is_off(array) || !has_node(array, from) ||
	    ask->gift_ns != chunks->view)
		return;
	note_times(&chunks->of[from], ask->parts,
		   (double)ask->ns_per_part * ask->parts, ask->squares);
	chunks->of[from].wants = true;
	chunks->of[from].operation = ask->gifts;
	grant_chunks(array);
}

void
stn_chunks_answered(struct stn_parts *array, uint32_t from,
		    const struct stn_parts_ask *answer, uint64_t now)
{
	const struct stn_chunks *chunks = array->scheduling;

	(void)now;
	if (answer->gift_ns != chunks->view || chunks->off)
		return;
	if (answer->next == STN_NOBODY) {
		if (chunks->stopped &&
		    from == array->service->node->members.root)
			resume(array, answer->lowest);
		return;
	}
	/* One that was passed on may come before the root's version. */
	if (answer->parts > array->count ||
	    answer->gifts > array->count - answer->parts ||
	    !has_node(array, answer->next) ||
	    (from != array->service->node->members.root && !answer->passed))
		return;
	take_grant(array, answer);
}
