#include "parts/moves/recut.h"

#include <stdlib.h>

#include "node/dispatch.h"
#include "parts/array.h"
#include "parts/early.h"
#include "parts/moves/move.h"
#include "parts/moves/shares.h"
#include "parts/ready.h"

#define ROUND_SHIFT 16
#define ROUND_BITS ((1u << ROUND_SHIFT) - 1)

/* A RECUT under way: its header and payload. */
struct recut_news {
	struct stn_parts *array;
	struct stn_parts_recut header;
	uint32_t words[];
};

static uint32_t
own_rank(const struct stn_parts *array)
{
	return array->service->node->rank;
}

/*
 * The root of the last view whose notices have come. The next root sends cuts
 * for the next view only, and others accept them then.
 */
static uint32_t
root_of(const struct stn_parts *array)
{
	return array->service->root;
}

static bool
is_first_view(const struct stn_parts *array)
{
	return !array->regrouped && !array->homes.count;
}

void
stn_recut_create(struct stn_parts *array, uint64_t sweeps,
		 const struct stn_forecast *forecast)
{
	struct stn_recut *recut = array->scheduling;
	uint32_t block = array->shape.block;

	recut->blocks = (sweeps + block - 1) / block;
	recut->forecast = forecast;
	recut->round = array->service->view << ROUND_SHIFT;
	if (!is_first_view(array)) {
		stn_shares_list(array);
		return;
	}
	recut->nodes = array->nodes;
	recut->cut = true;
	for (uint32_t i = 0; i < array->nodes; i++) {
		recut->shares[i].rank = i;
		recut->shares[i].first = stn_array_first_part(array, i);
	}
	recut->unpaused = own_rank(array) < array->nodes
				  ? recut->shares[own_rank(array)].first
				  : 0;
}

/* Points that this node sweeps in a ns; 0 if that is not known. */
static double
predict_speed(struct stn_parts *array)
{
	struct stn_recut *recut = array->scheduling;
	const struct stn_pace *pace = &array->pace;
	uint64_t ns = pace->swept_ns - recut->marked_ns;
	uint64_t points = pace->swept_points - recut->marked_points;
	double speed = ns ? (double)points / (double)ns *
				       array->service->node->worker_count
			  : 0;

	if (!recut->forecast)
		return speed;
	recut->marked_ns += ns;
	recut->marked_points += points;
	if (speed > 0)
		recut->forecast->put(recut->forecasting, speed);
	return recut->forecast->get(recut->forecasting);
}

/* Whether all parts of this node's range are here and have paused. */
static bool
has_paused(struct stn_parts *array)
{
	struct stn_recut *recut = array->scheduling;
	uint32_t end =
		stn_share_end(array, stn_share_of(recut, own_rank(array)));

	while (recut->unpaused < end) {
		const struct stn_part *part =
			stn_array_known(array, recut->unpaused);

		if (!part || !part->here || part->version < array->pause)
			return false;
		recut->unpaused++;
	}
	return true;
}

static void hear_speed(struct stn_parts *array, uint32_t from, double speed);

static void
tell_speed(struct stn_parts *array)
{
	struct stn_recut *recut = array->scheduling;
	struct stn_parts_speed speed;

	if (!recut->begun || !recut->cut || recut->told ||
	    array->pause == UINT64_MAX || !has_paused(array))
		return;
	recut->told = true;
	speed = (struct stn_parts_speed){ array->id, recut->round,
					  predict_speed(array) };
	if (own_rank(array) != root_of(array))
		stn_node_say(array->service->node, root_of(array),
			     STN_PARTS_KIND_SPEED, &speed, sizeof(speed));
	else
		hear_speed(array, own_rank(array), speed.speed);
}

static void
give_away(struct stn_part *part)
{
	part->leaves = !stn_part_can_move(part);
	if (!part->leaves)
		stn_part_give(part, stn_share_owner(part->array, part->number));
}

/* Gives away those of the parts @first to @end - 1 that belong to others. */
static void
give_others(struct stn_parts *array, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++) {
		struct stn_part *part = stn_array_known(array, i);

		if (part && part->here &&
		    stn_share_owner(array, i) != own_rank(array))
			give_away(part);
	}
}

/* Goes on to sweep the parts of this node's range. */
static void
continue_parts(struct stn_parts *array)
{
	struct stn_recut *recut = array->scheduling;
	uint32_t share = stn_share_of(recut, own_rank(array));

	for (uint32_t i = recut->shares[share].first;
	     i < stn_share_end(array, share); i++) {
		struct stn_part *part = stn_array_known(array, i);

		if (!part || !part->here)
			continue;
		part->leaves = false;
		stn_shares_expect(part);
		stn_part_consider(part);
	}
}

/*
 * Takes a new range. With the first cuts in a view, parts may be anywhere
 * before; those that are on their way then are sent on when they arrive.
 */
static void
apply_cuts(struct stn_parts *array, const uint32_t *firsts, uint64_t pause)
{
	struct stn_recut *recut = array->scheduling;
	uint32_t share = stn_share_of(recut, own_rank(array));
	uint32_t first = recut->cut ? recut->shares[share].first : 0;
	uint32_t end = recut->cut ? stn_share_end(array, share) : array->count;

	for (uint32_t i = 0; i < recut->nodes; i++)
		recut->shares[i].first = firsts[i];
	recut->begun = recut->cut = true;
	recut->round = (recut->round & ~ROUND_BITS) |
		       ((recut->round + 1) & ROUND_BITS);
	recut->told = false;
	recut->unpaused = firsts[share];
	array->pause = pause;
	give_others(array, first, end);
	continue_parts(array);
	tell_speed(array);
}

static void
cuts_must_arrive(const struct recut_news *news, enum stn_err err)
{
	stn_node_must_arrive(news->array->service->node,
			     "new ranges of an array's parts", err);
}

static void
news_done(void *arg, enum stn_err err)
{
	cuts_must_arrive(arg, err);
	free(arg);
}

/* The words of a RECUT: the first ones in a view have the pause, too. */
static uint32_t
news_words(const struct stn_recut *recut)
{
	return recut->cut ? recut->nodes : recut->nodes + 2;
}

static struct recut_news *
create_news(struct stn_parts *array)
{
	const struct stn_recut *recut = array->scheduling;
	struct recut_news *news = malloc(
		sizeof(*news) + news_words(recut) * sizeof(news->words[0]));

	if (!news)
		stn_node_fail(array->service->node, "out of memory");
	news->array = array;
	news->header = (struct stn_parts_recut){ array->id, recut->round };
	return news;
}

static void
send_cuts(struct stn_parts *array, const uint32_t *words, uint32_t to)
{
	const struct stn_recut *recut = array->scheduling;
	struct recut_news *news = create_news(array);
	struct iovec piece = { news->words,
			       news_words(recut) * sizeof(news->words[0]) };

	for (uint32_t i = 0; i < news_words(recut); i++)
		news->words[i] = words[i];
	stn_node_send(array->service->node, to, STN_PARTS_KIND_RECUT,
		      &news->header, sizeof(news->header), &piece, 1, news_done,
		      news);
}

/* When the parts pause again after the cuts. */
static uint64_t
pause_after(const struct stn_parts *array, const uint32_t *words)
{
	const struct stn_recut *recut = array->scheduling;

	if (!recut->cut)
		return (uint64_t)words[recut->nodes + 1] << 32 |
		       words[recut->nodes];
	return recut->forecast ? array->pause + recut->blocks : UINT64_MAX;
}

/* On the root. Frees the cuts. */
static void
spread_cuts(struct stn_parts *array, struct recut_news *news)
{
	const struct stn_recut *recut = array->scheduling;

	for (uint32_t i = 0; i < recut->nodes; i++)
		if (recut->shares[i].rank != own_rank(array))
			send_cuts(array, news->words, recut->shares[i].rank);
	apply_cuts(array, news->words, pause_after(array, news->words));
	free(news);
}

/* On the root. */
static void
hear_speed(struct stn_parts *array, uint32_t from, double speed)
{
	struct stn_recut *recut = array->scheduling;
	struct recut_news *news;

	recut->shares[stn_share_of(recut, from)].speed = speed;
	if (++recut->heard < recut->nodes)
		return;
	recut->heard = 0;
	news = create_news(array);
	stn_shares_cut(array, news->words);
	stn_shares_keep(array, news->words);
	spread_cuts(array, news);
}

/* The number of the view in the upper half of a round. */
static uint32_t
round_view(uint32_t round)
{
	return round & ~ROUND_BITS;
}

enum stn_err
stn_recut_told(struct stn_parts *array, uint32_t from,
	       const struct stn_parts_speed *told)
{
	const struct stn_recut *recut = array->scheduling;

	if (round_view(told->round) != round_view(recut->round))
		return STN_OK;
	if (own_rank(array) != root_of(array) ||
	    stn_share_of(recut, from) == STN_NOBODY ||
	    told->round != recut->round ||
	    !(told->speed >= 0 && told->speed < 1e100))
		return STN_MALFORMED;
	hear_speed(array, from, told->speed);
	return STN_OK;
}

/* Whether the cuts are the next ones for this node. */
static bool
are_next(const struct stn_parts *array, const struct stn_parts_recut *header)
{
	const struct stn_recut *recut = array->scheduling;

	return header->round == recut->round && (recut->told || !recut->cut) &&
	       stn_share_of(recut, own_rank(array)) != STN_NOBODY;
}

static void
news_landed(void *arg, enum stn_err err)
{
	struct recut_news *news = arg;
	struct stn_parts *array = news->array;
	const struct stn_recut *recut = array->scheduling;

	cuts_must_arrive(news, err);
	if (!err && !array->freed && !array->restoring && recut &&
	    round_view(news->header.round) == round_view(recut->round) &&
	    news->header.array.generation == array->id.generation) {
		if (!stn_shares_valid(array, news->words) ||
		    !are_next(array, &news->header))
			stn_node_fail(array->service->node,
				      "the root has sent malformed cuts of an "
				      "array");
		apply_cuts(array, news->words, pause_after(array, news->words));
	}
	free(news);
}

/* The root may have sent the cuts before this node has all notices. */
enum stn_err
stn_recut_take(struct stn_parts *array, const struct stn_message *message,
	       const struct stn_parts_recut *header)
{
	const struct stn_recut *recut = array->scheduling;
	struct recut_news *news;
	struct iovec piece;

	if (round_view(header->round) ==
		    round_view(array->service->view << ROUND_SHIFT) &&
	    round_view(recut->round) != round_view(header->round)) {
		stn_early_keep(array->service, message);
		return STN_OK;
	}
	if (round_view(header->round) != round_view(recut->round)) {
		stn_early_refuse(array->service, message);
		return STN_OK;
	}
	if (message->from != root_of(array) || !are_next(array, header) ||
	    message->payload_bytes !=
		    news_words(recut) * sizeof(news->words[0]))
		return STN_MALFORMED;
	news = create_news(array);
	news->header = *header;
	piece = (struct iovec){ news->words, message->payload_bytes };
	stn_early_take(array->service, message, &piece, 1, news_landed, news);
	return STN_OK;
}

static bool
can_be_cut(const struct stn_parts *array)
{
	const struct stn_recut *recut = array->scheduling;

	return array->operation.active &&
	       array->operation.order.what == STN_PARTS_SWEEPS &&
	       recut->nodes > 1 && recut->nodes <= array->count;
}

static void
find_newest_of(struct stn_part *part, void *arg)
{
	uint64_t *newest = arg;

	*newest = part->version > *newest ? part->version : *newest;
}

/* On the root: all nodes that stay get equal ranges, and then pause again. */
static void
cut_equally(struct stn_parts *array)
{
	const struct stn_recut *recut = array->scheduling;
	uint64_t newest = array->operation.base;
	struct recut_news *news;

	if (own_rank(array) != root_of(array) || recut->cut ||
	    !can_be_cut(array) ||
	    stn_share_of(recut, own_rank(array)) == STN_NOBODY)
		return;
	stn_array_each(array, find_newest_of, &newest);
	newest += recut->blocks;
	news = create_news(array);
	for (uint32_t i = 0; i < recut->nodes; i++)
		news->words[i] =
			(uint32_t)((uint64_t)array->count * i / recut->nodes);
	news->words[recut->nodes] = (uint32_t)newest;
	news->words[recut->nodes + 1] = (uint32_t)(newest >> 32);
	spread_cuts(array, news);
}

void
stn_recut_begins(struct stn_parts *array)
{
	struct stn_recut *recut = array->scheduling;

	if (recut->begun || !is_first_view(array) || !can_be_cut(array) ||
	    stn_share_of(recut, own_rank(array)) == STN_NOBODY)
		return;
	recut->begun = true;
	array->pause = array->operation.base + recut->blocks;
}

static void
continue_part(struct stn_part *part, void *arg)
{
	(void)arg;
	part->leaves = false;
	stn_part_consider(part);
}

/*
 * Some nodes may have got the cuts of this round and others not, and others
 * have other parts. So all begin again, with the nodes that are left; but not
 * before the root has told nodes that join where the parts are.
 */
void
stn_recut_regrouped(struct stn_parts *array)
{
	struct stn_recut *recut;

	stn_shares_list(array);
	recut = array->scheduling;
	recut->begun = recut->cut = recut->told = false;
	recut->round = array->service->view << ROUND_SHIFT;
	recut->heard = 0;
	array->pause = UINT64_MAX;
	stn_array_expect_nothing(array);
	stn_array_each(array, continue_part, NULL);
}

void
stn_recut_swept(struct stn_part *part)
{
	const struct stn_recut *recut = part->array->scheduling;

	if (!recut->cut) {
		cut_equally(part->array);
		return;
	}
	if (part->leaves)
		give_away(part);
	tell_speed(part->array);
}

/* The root may have no parts. */
uint64_t
stn_recut_idle(struct stn_parts *array, uint64_t now)
{
	const struct stn_recut *recut = array->scheduling;

	(void)now;
	if (!recut->cut)
		cut_equally(array);
	return STN_FOREVER;
}

void
stn_recut_arrived(struct stn_part *part)
{
	struct stn_parts *array = part->array;
	const struct stn_recut *recut = array->scheduling;

	if (!recut->cut)
		return;
	stn_shares_expect(part);
	if (stn_share_owner(array, part->number) != own_rank(array))
		give_away(part);
	else
		tell_speed(array);
}
