/*
 * af: adaptive factoring: the size of a chunk follows from the mean and the
 * deviation of each node's times. Banicescu, Liu, "Adaptive factoring: a
 * dynamic scheduling method tuned to the rate of weight changes", HPC 2000.
 */
#include <math.h>

#include "parts/chunks.h"
#include "parts/scheduler.h"

static double
af_x(const struct stn_chunks *chunks)
{
	(void)chunks;
	return 2;
}

static double
af_size(struct stn_chunks *chunks, uint32_t node)
{
	double left = chunks->ungranted, d = 0, rate = 0, t, mean;

	for (uint32_t i = 0; i < chunks->nodes; i++) {
		const struct stn_chunks_node *of = &chunks->of[i];
		double variance;

		if (!(of->ns > 0)) /* as fac2 until all speeds are known */
			return stn_chunks_batch(chunks, af_x);
		mean = of->ns / of->parts;
		variance = of->squares / of->parts - mean * mean;
		d += variance > 0 ? variance / mean : 0;
		rate += 1 / mean;
	}
	t = 1 / rate;
	mean = chunks->of[node].ns / chunks->of[node].parts;
	return (d + 2 * t * left - sqrt(d * d + 4 * d * t * left)) / (2 * mean);
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
