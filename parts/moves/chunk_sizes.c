/*
 * chunk_sizes.c: what the rules of several schedulers for the sizes of chunks
 * have in common. See chunks.h.
 */
#include <math.h>

#include "parts/moves/chunks.h"

double
stn_chunks_batch(struct stn_chunks *chunks,
		 double (*x_of)(const struct stn_chunks *chunks))
{
	if (!chunks->batch_chunks) {
		chunks->batch_chunks = chunks->nodes;
		chunks->chunk = ceil((double)chunks->ungranted /
				     (x_of(chunks) * chunks->nodes));
		chunks->first_batch = false;
	}
	chunks->batch_chunks--;
	return chunks->chunk;
}

void
stn_chunks_weigh(struct stn_chunks *chunks, bool recent)
{
	double sum = 0;

	for (uint32_t i = 0; i < chunks->ranks; i++)
		if (!chunks->of[i].absent && !(chunks->of[i].ns > 0))
			return; /* not all speeds are known */
	for (uint32_t i = 0; i < chunks->ranks; i++) {
		struct stn_chunks_node *of = &chunks->of[i];

		if (of->absent)
			continue;
		of->weight = recent ? of->weighted_parts / of->weighted_ns
				    : of->parts / of->ns;
		sum += of->weight;
	}
	for (uint32_t i = 0; i < chunks->ranks; i++)
		chunks->of[i].weight *= chunks->nodes / sum;
}
