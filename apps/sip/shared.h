/*
 * shared.h: the ways to map a pattern into a target, by tasks, or by a search
 * without tasks.
 */
#ifndef SIP_SHARED_H
#define SIP_SHARED_H

#include <sateen.h>

#include "apps/show.h"
#include "apps/sip/search.h"

#define SIP_DEPTH_MOST 5 /* choices that fit into a key */

/* What a search has found: the first solution, or the number of solutions. */
struct sip_answer {
	bool found;
	uint16_t to[SIP_PATTERN_MOST]; /* of a solution; see sip_solution */
	uint64_t solutions, tries;
};

/*
 * sip_shared: the first solution in search order, or with @all, the number of
 * solutions. The first @depth choices, at most SIP_DEPTH_MOST, are tasks. If
 * the search is for one solution, the number of tries depends on where tasks
 * run, and @show shows the solution (apps/show.h); the witness is answer->to.
 * sip_alone: the same, by one search.
 */
void sip_shared(STN_FRAME, const struct sip_problem *problem, int depth,
		bool all, struct show *show, struct sip_answer *answer);
void sip_alone(STN_FRAME, const struct sip_problem *problem, bool all,
	       struct sip_answer *answer);

#endif
