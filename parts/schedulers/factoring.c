/*
 * factoring: the parts of a sweep are handed out in batches of equal chunks.
 * Each batch is as large as it can be if the nodes are to finish together with
 * high probability, given the mean and the deviation of the times of parts:
 * Hummel, Schonberg, Flynn, "Factoring: a method for scheduling parallel
 * loops", CACM 35 (8), 1992. The formula of the first batch of a sweep differs
 * from that of later ones. DLS4LB's FAC has no deviation: it is our fac2. Here
 * the mean and the deviation are those of all parts so far; LB4OMP takes them
 * from an earlier run.
 */
#include <math.h>

#include "parts/moves/chunks.h"
#include "parts/scheduler.h"

/* Of all parts so far: the deviation over the mean; 0 if it is not known. */
static double
relative_deviation(const struct stn_chunks *chunks)
{
	double parts = 0, ns = 0, squares = 0, mean, variance;

	for (uint32_t i = 0; i < chunks->ranks; i++) {
		parts += chunks->of[i].parts;
		ns += chunks->of[i].ns;
		squares += chunks->of[i].squares;
	}
	if (!(ns > 0))
		return 0;
	mean = ns / parts;
	variance = squares / parts - mean * mean;
	return variance > 0 ? sqrt(variance) / mean : 0;
}

static double
factoring_x(const struct stn_chunks *chunks)
{
	double b = chunks->nodes * relative_deviation(chunks) /
		   (2 * sqrt((double)chunks->ungranted));

	return chunks->first_batch ? 1 + b * b + b * sqrt(b * b + 2)
				   : 2 + b * b + b * sqrt(b * b + 4);
}

static double
factoring_size(struct stn_chunks *chunks, uint32_t node)
{
	(void)node;
	return stn_chunks_batch(chunks, factoring_x);
}

static void
factoring_created(struct stn_parts *array)
{
	stn_chunks_create(array, factoring_size);
}

const struct stn_scheduler stn_scheduler_factoring = {
	.name = "factoring",
	.help = "node 0 hands out each sweep's parts in smaller and smaller "
		"chunks",
	.created = factoring_created,
	STN_CHUNKS_MEMBERS,
};
