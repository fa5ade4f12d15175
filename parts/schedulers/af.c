/*
 * af: adaptive factoring: the size of a chunk follows from the mean and the
 * deviation of each node's times. Banicescu, Liu, "Adaptive factoring: a
 * dynamic scheduling method tuned to the rate of weight changes", HPC 2000.
 * As in DLS4LB (github.com/unibas-dmi-hpc), they are those of the node's last
 * chunk, and a chunk of one part has no deviation. LB4OMP takes the mean of all
 * chunks of a loop: of all sweeps, that was slower here where speeds change.
 */
#include <math.h>

#include "parts/moves/chunks.h"
#include "parts/scheduler.h"

static double
af_x(const struct stn_chunks *chunks)
{
	(void)chunks;
	return 2;
}

/* Of the times of the parts of the node's last chunk. */
static double
mean_of(const struct stn_chunks_node *of)
{
	return of->last_ns / of->last_parts;
}

static double
variance_of(const struct stn_chunks_node *of)
{
	double mean = mean_of(of);
	double sum = of->last_squares - of->last_parts * mean * mean;

	return of->last_parts > 1 && sum > 0 ? sum / (of->last_parts - 1) : 0;
}

static double
af_size(struct stn_chunks *chunks, uint32_t node)
{
	double left = chunks->ungranted, d = 0, rate = 0, t;

	for (uint32_t i = 0; i < chunks->ranks; i++) {
		const struct stn_chunks_node *of = &chunks->of[i];

		if (of->absent)
			continue;
		if (!(of->last_ns > 0)) /* as fac2 until all speeds are known */
			return stn_chunks_batch(chunks, af_x);
		d += variance_of(of) / mean_of(of);
		rate += 1 / mean_of(of);
	}
	t = 1 / rate;
	return (d + 2 * t * left - sqrt(d * d + 4 * d * t * left)) /
	       (2 * mean_of(&chunks->of[node]));
}

static void
af_created(struct stn_parts *array)
{
	stn_chunks_create(array, af_size);
}

const struct stn_scheduler stn_scheduler_af = {
	.name = "af",
	.help = "factoring by the mean and deviation of each node's times",
	.created = af_created,
	STN_CHUNKS_MEMBERS,
};
