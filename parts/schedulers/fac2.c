/*
 * fac2: factoring with batches of half of the parts that are left, whatever the
 * times of parts are. The practical form of Hummel, Schonberg and Flynn, 1992.
 */
#include "parts/moves/chunks.h"
#include "parts/scheduler.h"

static double
fac2_x(const struct stn_chunks *chunks)
{
	(void)chunks;
	return 2;
}

static double
fac2_size(struct stn_chunks *chunks, uint32_t node)
{
	(void)node;
	return stn_chunks_batch(chunks, fac2_x);
}

static void
fac2_created(struct stn_parts *array)
{
	stn_chunks_create(array, fac2_size);
}

const struct stn_scheduler stn_scheduler_fac2 = {
	.name = "fac2",
	.help = "factoring in halves: each batch has half of what is left",
	.created = fac2_created,
	STN_CHUNKS_MEMBERS,
};
