/*
 * balance.h: what a balancer is. One file with one constant table; it only
 * decides. What it decides is carried out by steal/borrow.c.
 *
 * A node is idle when none of its workers has found work on the node. All calls
 * come with the node's network lock held, one at a time, and must not block.
 * Time and chance come from outside, so that a run in virtual time repeats.
 */
#ifndef STN_STEAL_BALANCE_H
#define STN_STEAL_BALANCE_H

#include <stdio.h>

#include "steal/random.h"
#include "transport/topology.h"

#define STN_ASKS 2 /* the most that a balancer may want to ask at once */

/* A steal request to be sent. */
struct stn_ask {
	uint32_t victim;   /* another node */
	bool asynchronous; /* the node goes on looking meanwhile */
};

/* What a balancer knows of the world. */
struct stn_view {
	const struct stn_topology *topology;
	uint32_t rank;
	struct stn_random *random;
};

struct stn_balancer {
	const char *name;
	const char *help;
	size_t state_bytes; /* private, zeroed at the start */

	/*
	 * The node is idle, and no synchronous request of its is out: whom to
	 * ask. Fills in @asks, of which at most one may be synchronous, and
	 * returns how many.
	 */
	unsigned (*idle)(void *state, const struct stn_view *view, uint64_t now,
			 struct stn_ask asks[STN_ASKS]);

	/* What became of an ask: a record came, or a refusal. */
	void (*granted)(void *state, const struct stn_ask *ask, uint64_t now);
	void (*refused)(void *state, const struct stn_ask *ask, uint64_t now);
};

extern const struct stn_balancer stn_balancer_rs;
extern const struct stn_balancer stn_balancer_crs;

/* stn_balancer_find: the balancer called @name, or NULL. */
const struct stn_balancer *stn_balancer_find(const char *name);

/* stn_balancer_list: a line on each balancer. */
void stn_balancer_list(FILE *out);

/* stn_balancer_nothing: for granted and refused, when they don't matter. */
void stn_balancer_nothing(void *state, const struct stn_ask *ask, uint64_t now);

#endif
