/*
 * Random Stealing (PPoPP 2001, section 3.1; Blumofe and Leiserson, FOCS 1994):
 * an idle node asks a node chosen uniformly among all others, waits for the
 * answer, and repeats that until it has work. It does not know of clusters.
 */
#include "steal/balance.h"

static unsigned
rs_idle(void *state, const struct stn_view *view, uint64_t now,
	struct stn_ask asks[STN_ASKS])
{
	uint32_t others = view->topology->nodes - 1;
	uint32_t choice;

	(void)state;
	(void)now;
	if (!others)
		return 0;
	choice = stn_random_below(view->random, others);
	asks[0].victim = choice + (choice >= view->rank);
	asks[0].asynchronous = false;
	return 1;
}

const struct stn_balancer stn_balancer_rs = {
	.name = "rs",
	.help = "random stealing: ask anybody, wait for the answer",
	.idle = rs_idle,
	.granted = stn_balancer_nothing,
	.refused = stn_balancer_nothing,
};
