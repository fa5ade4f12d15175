/*
 * all_different.h: vertices are mapped to different vertices.
 */
#ifndef SIP_ALL_DIFFERENT_H
#define SIP_ALL_DIFFERENT_H

#include "apps/sip/state.h"

/*
 * sip_all_different: counts the candidates of the vertices that aren't mapped,
 * taking those with few candidates first. If n vertices have n candidates
 * together, removes these from the others' domains. False: n vertices have
 * fewer candidates, so there is no solution.
 */
bool sip_all_different(const struct sip_problem *p, struct sip_state *state);

#endif
