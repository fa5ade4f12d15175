#include "parts/moves/bargain.h"

#include "parts/array.h"

#define HORIZON 16 /* sweeps in which an advantage is to be used up */

/*
 * The last part is given if the asker needs less than this share of the time.
 * It is below 1 so that a part does not go to and fro between nodes whose
 * measured paces differ by chance.
 */
#define LAST_SHARE 0.75

/* The use of workers is a mean over so many turns of each part. */
#define USE_TURNS 4

/* See gift_pays. */
#define WAIT_SHARE 0.02	   /* of the time: then workers wait for long */
#define MUCH_SHARE 0.75	   /* of the giver's time for a sweep */
#define LASTING_SHARE 0.95 /* the same, where little is gained */
#define SHARED_SHARE 0.85  /* the same, if parts go to and fro */

uint64_t
stn_ns_per_part(const struct stn_parts *array)
{
	const struct stn_pace *pace = &array->pace;

	if (!pace->turns)
		return 0;
	return pace->busy_ns / pace->turns / array->service->node->worker_count;
}

void
stn_usage_begin(struct stn_usage *usage, const struct stn_parts *array)
{
	usage->noted_ns = stn_node_now(array->service->node);
	usage->noted_swept = array->pace.swept_ns;
	usage->waits_ns = 0;
}

void
stn_usage_wait(struct stn_usage *usage, uint64_t now)
{
	if (!usage->waits_ns)
		usage->waits_ns = now;
}

/* Newer turns weigh more, as in the pace. */
void
stn_usage_note(struct stn_usage *usage, const struct stn_parts *array)
{
	uint64_t now = stn_node_now(array->service->node);
	uint64_t swept = array->pace.swept_ns;
	uint64_t begin = now - (swept - usage->noted_swept);

	if (usage->waits_ns && begin > usage->waits_ns)
		usage->waited_ns += begin - usage->waits_ns;
	usage->passed_ns += now - usage->noted_ns;
	usage->waits_ns = 0;
	usage->noted_ns = now;
	usage->noted_swept = swept;
	if (++usage->counted < USE_TURNS * (array->here + 1ull))
		return;
	usage->waited_ns /= 2;
	usage->passed_ns /= 2;
	usage->counted /= 2;
	usage->known = true;
}

/*
 * Sweeps in which an advantage can be used up: those that the operation has
 * left. Other operations may follow; a program is expected to go on for as long
 * again as it had gone on when the operation began.
 */
static uint64_t
horizon_of(const struct stn_parts *array, uint64_t lowest)
{
	const struct stn_operation *operation = &array->operation;
	uint64_t filled =
		operation->base > 0; /* the first version is no sweep */
	uint64_t end =
		operation->base + operation->blocks + operation->base - filled;

	if (lowest >= end)
		return 0;
	return end - lowest < HORIZON ? end - lowest : HORIZON;
}

/*
 * Whether a gift is worth its way. It is if the asker needs much less time for
 * its parts and one more than this node for its own. Otherwise it is not if
 * this node's workers wait for pieces for long: then other nodes or links limit
 * it, and gifts only make more pieces cross the links. In the first sweeps that
 * is not known. As long as the time that gifts need is not known either, there
 * have to be enough sweeps to make up for it; and both nodes have to be faster
 * for good, or parts that go to and fro have to let both work all the time
 * where one waited for long.
 */
static bool
gift_pays(const struct stn_parts *array, const struct stn_usage *usage,
	  const struct stn_parts_ask *ask, uint64_t horizon)
{
	double pace = (double)stn_ns_per_part(array);
	double pace_there = ask->ns_per_part ? (double)ask->ns_per_part : pace;
	double mine = (double)array->here * pace;
	double theirs = (ask->parts + 1.0) * pace_there;
	double both = ((double)array->here + ask->parts) /
		      (1 / pace + 1 / pace_there);

	if (theirs < MUCH_SHARE * mine)
		return true;
	return usage->known &&
	       (double)usage->waited_ns <=
		       WAIT_SHARE * (double)usage->passed_ns &&
	       (ask->gift_ns ||
		(horizon == HORIZON && (theirs < LASTING_SHARE * mine ||
					both < SHARED_SHARE * mine)));
}

static void
look_for_lowest(struct stn_part *part, void *arg)
{
	struct stn_progress *progress = arg;

	if (part->version < progress->lowest)
		progress->lowest = part->version;
}

static void
add_left(struct stn_part *part, void *arg)
{
	struct stn_progress *progress = arg;

	if (part->version < progress->lowest + progress->horizon)
		progress->left +=
			progress->lowest + progress->horizon - part->version;
}

struct stn_progress
stn_progress_of(struct stn_parts *array)
{
	struct stn_progress progress = { UINT64_MAX, 0, 0 };

	stn_array_each(array, look_for_lowest, &progress);
	progress.horizon = horizon_of(array, progress.lowest);
	stn_array_each(array, add_left, &progress);
	return progress;
}

/* What the asker has left until its parts are at version @end. */
static double
left_of_asker(const struct stn_parts *array, const struct stn_parts_ask *ask,
	      uint64_t end, double pace)
{
	double beyond, left;

	if (!ask->parts)
		return 0;
	beyond = (double)ask->lowest + (double)horizon_of(array, ask->lowest) -
		 (double)end;
	left = ((double)ask->left - beyond * ask->parts) * pace;
	return left < 0 ? 0 : left;
}

/*
 * Both nodes are to need the same time until all parts are at the end of the
 * horizon, as seen from the last part of this node. One part more is given if
 * the asker finishes earlier with it than this node would with all.
 */
uint32_t
stn_bargain(struct stn_parts *array, const struct stn_usage *usage,
	    const struct stn_parts_ask *ask, bool may_empty)
{
	struct stn_progress progress = stn_progress_of(array);
	double mine = (double)stn_ns_per_part(array);
	double theirs = ask->ns_per_part ? (double)ask->ns_per_part : mine;
	double left = (double)progress.left * mine;
	double left_there = left_of_asker(
		array, ask, progress.lowest + progress.horizon, theirs);
	double sweeps = (double)progress.horizon;
	double each = sweeps * theirs + (double)ask->gift_ns;
	double gifts;

	if (!array->here || mine <= 0 ||
	    !gift_pays(array, usage, ask, progress.horizon) ||
	    left_there + each >= left)
		return 0;
	if (array->here == 1)
		return may_empty && left_there + each < LAST_SHARE * left;
	gifts = (left - left_there) / (each + sweeps * mine);
	return gifts < 1		   ? 1
	       : gifts < array->here - 1.0 ? (uint32_t)gifts
					   : array->here - 1;
}
