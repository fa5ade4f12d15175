/*
 * search.h: the search for the ways to map a pattern into a target. Plain C:
 * tasks make the first choices (shared.c), and this search makes the others.
 *
 * The search maps the vertex with the fewest candidates first, and tries the
 * candidates in the order of their numbers. The first solution is the first one
 * in this order.
 */
#ifndef SIP_SEARCH_H
#define SIP_SEARCH_H

#include "apps/sip/state.h"

#define SIP_LOOK 16

/*
 * sip_state_new: memory for a state, which the caller frees; @from, if it is
 * not NULL, is copied to it. Ends the process, after one line on stderr, if
 * there is no memory.
 */
struct sip_state *sip_state_new(const struct sip_problem *p,
				const struct sip_state *from);

/*
 * sip_start: the state before the first choice. False: there is no solution.
 */
bool sip_start(const struct sip_problem *p, struct sip_state *state);

/* sip_pick: the vertex to map next. Not all vertices are mapped. */
int sip_pick(const struct sip_problem *p, const struct sip_state *state);

/*
 * sip_map: maps @vertex to @candidate, which is in its domain, and removes
 * candidates of other vertices that this excludes. False: there is no solution
 * below; then the state is undefined.
 */
bool sip_map(const struct sip_problem *p, struct sip_state *state, int vertex,
	     int candidate);

/*
 * sip_next: the first candidate of @vertex above @candidate; -1 if there is
 * none.
 */
int sip_next(const struct sip_problem *p, struct sip_state *state, int vertex,
	     int candidate);

/*
 * The arguments of a search, functions that the search calls, and the number of
 * its tries.
 */
struct sip_hunt {
	const struct sip_problem *problem;
	bool stop; /* the search returns */

	/* A solution was found: all vertices of @state are mapped. */
	void (*found)(struct sip_hunt *hunt, struct sip_state *state);

	/* Called each SIP_LOOK tries. */
	void (*look)(struct sip_hunt *hunt);
	uint64_t tries; /* number of vertices that it has mapped */
};

/* sip_hunt_on: searches all solutions below @state, which stays. */
void sip_hunt_on(struct sip_hunt *hunt, struct sip_state *state);

/*
 * sip_solution: writes to @to, for each vertex of the pattern, the number of
 * its vertex in the target's file.
 */
void sip_solution(const struct sip_problem *p, struct sip_state *state,
		  uint16_t *to);

#endif
