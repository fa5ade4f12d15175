/*
 * awf: adaptive weighted factoring: as wf, but the weights follow the speeds
 * that are measured. Chunk j of a node counts j times, and weights are computed
 * anew for each batch: the variant B of Carino and Banicescu, "Dynamic load
 * balancing with adaptive factoring methods in scientific applications",
 * Journal of Supercomputing 44, 2008. There, and in DLS4LB and LB4OMP, the
 * count of chunks begins anew with each loop; here it goes on from sweep to
 * sweep, as that of time steps does in AWF itself. Until all nodes have swept a
 * chunk, chunks are equal, as in LB4OMP; DLS4LB gives the smallest ones.
 */
#include "parts/moves/chunks.h"
#include "parts/scheduler.h"

static double
awf_x(const struct stn_chunks *chunks)
{
	(void)chunks;
	return 2;
}

static double
awf_size(struct stn_chunks *chunks, uint32_t node)
{
	if (!chunks->batch_chunks)
		stn_chunks_weigh(chunks, true);
	return stn_chunks_batch(chunks, awf_x) * chunks->of[node].weight;
}

static void
awf_created(struct stn_parts *array)
{
	stn_chunks_create(array, awf_size);
}

const struct stn_scheduler stn_scheduler_awf = {
	.name = "awf",
	.help = "wf with weights that follow the measured speeds",
	.created = awf_created,
	STN_CHUNKS_MEMBERS,
};
