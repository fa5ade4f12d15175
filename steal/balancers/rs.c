/*
 * rs.c: Random Stealing (PPoPP 2001, section 3.1; Blumofe and Leiserson, FOCS
 * 1994). An idle node asks a node chosen uniformly among all others, waits for
 * the answer, and repeats that until it has work. The balancer ignores
 * clusters.
 */
#include "steal/balance.h"

static void
rs_idle(void *state, const struct stn_snapshot *snapshot,
	struct stn_moves *moves)
{
	(void)state;
	if (snapshot->members->living > 1)
		stn_moves_ask(moves, stn_choose_other(snapshot), false);
}

const struct stn_balancer stn_balancer_rs = {
	.name = "rs",
	.help = "random stealing: ask any node, wait for the answer",
	.requests = 1,
	.idle = rs_idle,
	.granted = stn_granted_here,
	.refused = stn_refused_in_vain,
};
