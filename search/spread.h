/*
 * spread.h: how incumbents spread. The living nodes of a cluster form a tree in
 * the order of their ranks, and the heads of the clusters, their first living
 * nodes, tell each other. A node that has a new incumbent tells its neighbours,
 * each of which tells its own. While a neighbour has not answered, nothing is
 * sent to it; then it gets the newest incumbent only.
 *
 * That is fast, but proves nothing. What makes answers right is
 * stn_spread_show: a node that sends a result first sends the incumbents by
 * which the call may have cut, with their witnesses. So whoever has a result
 * also has incumbents at least as good.
 *
 * All calls: net lock held.
 */
#ifndef STN_SEARCH_SPREAD_H
#define STN_SEARCH_SPREAD_H

#include "search/service.h"

/* stn_spread: tells the neighbours that lack the incumbent of @bound. */
void stn_spread(struct stn_search *search, struct stn_bound_state *bound);

/*
 * stn_spread_show: sends node @to all incumbents and limits that this node has
 * not told it. They arrive before any later message to @to.
 */
void stn_spread_show(struct stn_search *search, uint32_t to);

/*
 * stn_spread_heard: node @from has told the incumbent of @bound that this node
 * has now.
 */
void stn_spread_heard(struct stn_search *search, struct stn_bound_state *bound,
		      uint32_t from);

/* stn_spread_answered: node @from has answered. */
void stn_spread_answered(struct stn_search *search,
			 struct stn_bound_state *bound, uint32_t from);

/*
 * stn_spread_anew: the members have changed; @lost is the node that has died,
 * or STN_NOBODY. This node may have other neighbours, and those that a dead
 * node would have told must be told by others.
 */
void stn_spread_anew(struct stn_search *search, uint32_t lost);

#endif
