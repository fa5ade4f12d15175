/*
 * profile.c: at each moment the innermost span decides whether a worker works
 * or waits. Each bin has the sums for 1/240 of main.
 */
#include "apps/sateen/report/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The bins of one node, and the bounds of all. */
struct bins {
	struct shares *bins;
	double begin, width; /* in ns */
};

/* How much of @bin lies between @begin and @end. */
static double
overlap(const struct bins *bins, uint32_t bin, double begin, double end)
{
	double left = bins->begin + bin * bins->width;
	double right = left + bins->width;

	left = begin > left ? begin : left;
	right = end < right ? end : right;
	return right > left ? right - left : 0;
}

static uint32_t
bin_at(const struct bins *bins, double at)
{
	double bin = (at - bins->begin) / bins->width;

	return bin <= 0 ? 0 : bin >= BINS ? BINS - 1 : (uint32_t)bin;
}

static void
add_time(const struct bins *bins, uint64_t begin, uint64_t end,
	 enum doing doing)
{
	if (end <= begin)
		return;
	for (uint32_t bin = bin_at(bins, (double)begin);
	     bin <= bin_at(bins, (double)end); bin++) {
		double part = overlap(bins, bin, (double)begin, (double)end);

		if (doing == WORKS)
			bins->bins[bin].works += part;
		else
			bins->bins[bin].waits += part;
	}
}

/* @open has room for all spans of the thread. */
static void
add_thread(const struct bins *bins, const struct thread *thread,
	   const struct span **open)
{
	uint32_t depth = 0, i = 0;
	uint64_t now = 0;

	while (i < thread->count || depth) {
		const struct span *top = depth ? open[depth - 1] : NULL;
		const struct span *next =
			i < thread->count ? &thread->spans[i] : NULL;
		uint64_t until = next && (!top || next->begin_ns < top->end_ns)
					 ? next->begin_ns
					 : top->end_ns;

		if (top)
			add_time(bins, now, until, top->doing);
		if (until > now)
			now = until;
		if (next && (!top || next->begin_ns < top->end_ns))
			open[depth++] = &thread->spans[i++];
		else
			depth--;
	}
}

static bool
add_threads(const struct bins *bins, const struct node *node)
{
	for (uint32_t i = 0; i < node->thread_count; i++) {
		const struct thread *thread = &node->threads[i];
		const struct span **open =
			calloc(thread->count + 1, sizeof(open[0]));

		if (!open)
			return false;
		add_thread(bins, thread, open);
		free(open);
	}
	return true;
}

/* The part of a bin's time without work that passes during this request. */
static void
add_steal_time(const struct bins *bins, const struct steal *steal, bool wide)
{
	for (uint32_t bin = bin_at(bins, (double)steal->begin_ns);
	     bin <= bin_at(bins, (double)steal->end_ns); bin++) {
		struct shares *shares = &bins->bins[bin];
		double part = overlap(bins, bin, (double)steal->begin_ns,
				      (double)steal->end_ns);
		double without = shares->all - shares->works;

		part *= without > 0 ? without / bins->width : 0;
		if (wide)
			shares->asks_wide += part;
		else
			shares->asks_near += part;
	}
}

/* Several requests may be out at the same time. */
static void
limit_asks(struct shares *shares)
{
	double without = shares->all - shares->works;

	if (without < 0) /* by rounding */
		without = 0;
	if (shares->asks_wide > without)
		shares->asks_wide = without;
	if (shares->asks_near > without - shares->asks_wide)
		shares->asks_near = without - shares->asks_wide;
}

/*
 * When the node's time begins: 0, or when it has joined. It may have worked a
 * little before others knew of it.
 */
static double
joined_at(const struct node *node)
{
	uint64_t first = node->joined_ns;

	for (uint32_t i = 0; i < node->thread_count; i++)
		if (node->threads[i].count &&
		    node->threads[i].spans[0].begin_ns < first)
			first = node->threads[i].spans[0].begin_ns;
	return (double)first;
}

static bool
add_node(const struct run *run, const struct node *node,
	 const struct bins *bins)
{
	/* Without names of workers and without spans: one idle worker. */
	uint32_t workers = node->thread_count ? node->thread_count : 1;
	double joined = joined_at(node);

	for (uint32_t i = 0; i < BINS; i++)
		bins->bins[i].all =
			workers * overlap(bins, i, joined, HUGE_VAL);
	if (!add_threads(bins, node))
		return false;
	for (uint32_t i = 0; i < node->steal_count; i++) {
		uint32_t victim = node->steals[i].victim;

		if (victim < run->node_count)
			add_steal_time(bins, &node->steals[i],
				       run->nodes[victim].cluster !=
					       node->cluster);
	}
	for (uint32_t i = 0; i < BINS; i++)
		limit_asks(&bins->bins[i]);
	return true;
}

void
shares_add(struct shares *shares, const struct shares *more)
{
	shares->works += more->works;
	shares->waits += more->waits;
	shares->all += more->all;
	shares->asks_near += more->asks_near;
	shares->asks_wide += more->asks_wide;
}

static void
sum_node(const struct run *run, struct profile *profile, uint32_t rank,
	 const struct shares bins[BINS])
{
	uint32_t cluster = run->nodes[rank].cluster;

	for (uint32_t i = 0; i < BINS; i++) {
		shares_add(&profile->bins[i], &bins[i]);
		shares_add(&profile->nodes[rank], &bins[i]);
		if (cluster < ROWS_MOST)
			shares_add(&profile->cluster_bins[cluster][i],
				   &bins[i]);
	}
	shares_add(&profile->all, &profile->nodes[rank]);
	shares_add(&profile->clusters[cluster], &profile->nodes[rank]);
}

static bool
make_room(const struct run *run, struct profile *profile)
{
	uint32_t clusters =
		run->cluster_count < ROWS_MOST ? run->cluster_count : ROWS_MOST;

	*profile = (struct profile){ .nodes = NULL };
	profile->nodes = calloc(run->node_count, sizeof(profile->nodes[0]));
	profile->clusters =
		calloc(run->cluster_count, sizeof(profile->clusters[0]));
	profile->cluster_bins =
		calloc(clusters, sizeof(profile->cluster_bins[0]));
	if (!profile->nodes || !profile->clusters || !profile->cluster_bins)
		return false;
	if (run->begun > ROWS_MOST)
		return true;
	profile->node_bins =
		calloc(run->node_count, sizeof(profile->node_bins[0]));
	return profile->node_bins;
}

bool
profile_make(const struct run *run, struct profile *profile)
{
	double width = (double)(run->end_ns - run->begin_ns) / BINS;
	struct shares sums[BINS];
	const struct bins bins = { sums, (double)run->begin_ns,
				   width > 0 ? width : 1 };

	if (!make_room(run, profile))
		return false;
	for (uint32_t i = 0; i < run->node_count; i++) {
		if (!run->nodes[i].there)
			continue;
		memset(sums, 0, sizeof(sums));
		if (!add_node(run, &run->nodes[i], &bins))
			return false;
		sum_node(run, profile, i, sums);
		if (profile->node_bins)
			memcpy(profile->node_bins[i], sums, sizeof(sums));
	}
	return true;
}

void
profile_fini(struct profile *profile)
{
	free(profile->nodes);
	free(profile->clusters);
	free(profile->node_bins);
	free(profile->cluster_bins);
}
