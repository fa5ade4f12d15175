/*
 * state.h: a state of the search: what the vertices of the pattern may still be
 * mapped to.
 */
#ifndef SIP_STATE_H
#define SIP_STATE_H

#include "apps/sip/problem.h"

/*
 * A vertex of the pattern. A vertex that is mapped has one candidate, which is
 * no candidate of others.
 */
struct sip_choice {
	int32_t candidates; /* number of vertices in its domain */
	int32_t mapped;	    /* 1 or 0 */
};

/*
 * A state of the search has no pointers, so that it can be sent to other nodes:
 * the choices of all vertices of the pattern, and behind them the domains.
 */
struct sip_state {
	int32_t mapped;	 /* number of vertices that are mapped */
	int32_t choices; /* that tasks have made */
	struct sip_choice choice[];
};

/* sip_state_bytes: the size of a state. */
static inline size_t
sip_state_bytes(const struct sip_problem *p)
{
	return sizeof(struct sip_state) +
	       (size_t)p->pattern * (sizeof(struct sip_choice) +
				     (size_t)p->words * sizeof(uint64_t));
}

/* sip_domain: the domain of @vertex, which has p->words words. */
static inline uint64_t *
sip_domain(const struct sip_problem *p, struct sip_state *state, int vertex)
{
	return (uint64_t *)(void *)&state->choice[p->pattern] +
	       (size_t)vertex * (size_t)p->words;
}

#endif
