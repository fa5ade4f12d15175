/*
 * wf: weighted factoring: as fac2, but a chunk is larger on a faster node.
 * Hummel, Schmidt, Uma, Wein, "Load-sharing in heterogeneous systems via
 * weighted factoring", SPAA 1996. There the weights are known beforehand; here
 * they are the speeds in the first sweep. A batch has as many chunks as there
 * are nodes, whichever nodes take them, as in LB4OMP.
 */
#include "parts/moves/chunks.h"
#include "parts/scheduler.h"

static double
wf_x(const struct stn_chunks *chunks)
{
	(void)chunks;
	return 2;
}

static double
wf_size(struct stn_chunks *chunks, uint32_t node)
{
	if (chunks->sweeps == 1 && chunks->first_batch)
		stn_chunks_weigh(chunks, false);
	return stn_chunks_batch(chunks, wf_x) * chunks->of[node].weight;
}

static void
wf_created(struct stn_parts *array)
{
	stn_chunks_create(array, wf_size);
}

const struct stn_scheduler stn_scheduler_wf = {
	.name = "wf",
	.help = "fac2 with chunks in proportion to the first sweep's speeds",
	.created = wf_created,
	STN_CHUNKS_MEMBERS,
};
