/*
 * spread.h: how incumbents spread. The living nodes of a cluster form a tree in
 * the order of their ranks, and the heads of the clusters, their first living
 * nodes, tell each other. A node that has a new incumbent sends it to its
 * neighbours, and each neighbour sends it to its own. While a neighbour has not
 * answered, nothing more is sent to it; after the answer it gets only the
 * newest incumbent.
 *
 * So incumbents spread fast, but the result of a search does not depend on
 * that. It is right because of stn_spread_show: before a node sends a result,
 * it sends the incumbents by which the call may have left out parts of the
 * search, with their witnesses. So each node that has the result has incumbents
 * at least as good.
 *
 * All calls: net lock held; none waits for another node.
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
 * stn_spread_heard: node @from has sent the incumbent that this node has now of
 * @bound; so it need not be told.
 */
void stn_spread_heard(struct stn_search *search, struct stn_bound_state *bound,
		      uint32_t from);

/*
 * stn_spread_answered: node @from has answered the last incumbent of @bound:
 * sends it a newer one, if there is one.
 */
void stn_spread_answered(struct stn_search *search,
			 struct stn_bound_state *bound, uint32_t from);

/*
 * stn_spread_anew: the members have changed; @lost is the node that has died,
 * or STN_NOBODY. Tells the incumbents to the neighbours that this node has from
 * now on, and to nodes that the dead node may have failed to tell.
 */
void stn_spread_anew(struct stn_search *search, uint32_t lost);

#endif
