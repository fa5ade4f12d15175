#include "search/spread.h"

#include <string.h>

#include "node/dispatch.h"
#include "search/wire.h"

#define FANOUT 8

static void
send_incumbent(struct stn_search *search, struct stn_bound_state *bound,
	       uint32_t to, uint32_t flags)
{
	struct stn_search_piece piece = {
		.improve = { .bound = bound->number,
			     .value = bound->best.value,
			     .key = bound->best.key,
			     .version = bound->version,
			     .bytes = (uint16_t)bound->bytes,
			     .finder = bound->finder,
			     .flags = flags |
				      (bound->found ? STN_SEARCH_FOUND : 0) },
	};
	size_t at = 0, bytes;

	search->counts.sent++;
	do {
		piece.improve.at = (uint16_t)at;
		bytes = stn_search_piece_bytes(&piece.improve);
		memcpy(piece.bytes, (const char *)bound->witness + at, bytes);
		stn_node_say(search->node, to, STN_IMPROVED, &piece,
			     sizeof(piece.improve) + bytes);
		at += bytes;
	} while (at < bound->bytes);
	bound->peers[to].told = bound->version;
}

static void
tell_incumbent(struct stn_search *search, struct stn_bound_state *bound,
	       uint32_t to)
{
	struct stn_bound_peer *peer;

	if (to == STN_NOBODY || to == search->node->rank)
		return;
	peer = &bound->peers[to];
	if (peer->waiting || peer->told == bound->version ||
	    peer->spared == bound->version)
		return;
	peer->waiting = true;
	search->counts.told++;
	send_incumbent(search, bound, to, STN_SEARCH_ANSWER);
}

/* The first living node of a cluster, or STN_NOBODY. */
static uint32_t
head_of(const struct stn_search *search, uint32_t cluster)
{
	return stn_members_at(&search->node->members, cluster, 0);
}

/* Tells the parent and the children in the tree of this node's cluster. */
static void
tell_near(struct stn_search *search, struct stn_bound_state *bound,
	  uint32_t number)
{
	const struct stn_node *node = search->node;

	if (number)
		tell_incumbent(search, bound,
			       stn_members_at(&node->members, node->cluster,
					      (number - 1) / FANOUT));
	for (uint32_t i = 1; i <= FANOUT; i++)
		tell_incumbent(search, bound,
			       stn_members_at(&node->members, node->cluster,
					      number * FANOUT + i));
}

void
stn_spread(struct stn_search *search, struct stn_bound_state *bound)
{
	const struct stn_node *node = search->node;
	uint32_t number = stn_members_number(&node->members, node->rank);

	/* A limit needs no haste: it is shown with the first record. */
	if (search->closed || !bound->found)
		return;
	tell_near(search, bound, number);
	for (uint32_t i = 0; !number && i < node->topology->clusters; i++)
		if (i != node->cluster)
			tell_incumbent(search, bound, head_of(search, i));
}

void
stn_spread_show(struct stn_search *search, uint32_t to)
{
	struct stn_bound_state *bound = NULL;

	if (!search->changes || search->shown[to] == search->changes ||
	    search->closed)
		return;
	search->shown[to] = search->changes;
	while ((bound = stn_bounds_next(&search->bounds, bound)))
		if (bound->peers[to].told != bound->version)
			send_incumbent(search, bound, to, 0);
}

void
stn_spread_heard(struct stn_search *search, struct stn_bound_state *bound,
		 uint32_t from)
{
	const struct stn_node *node = search->node;

	bound->peers[from].told = bound->version;
	if (!stn_node_is_wide(node, from) ||
	    from != head_of(search, stn_cluster_of(node->topology, from)))
		return;
	/* The head of another cluster tells all other heads itself. */
	for (uint32_t i = 0; i < node->topology->clusters; i++) {
		uint32_t head = head_of(search, i);

		if (head != STN_NOBODY && i != node->cluster)
			bound->peers[head].spared = bound->version;
	}
}

void
stn_spread_answered(struct stn_search *search, struct stn_bound_state *bound,
		    uint32_t from)
{
	bound->peers[from].waiting = false;
	search->counts.answered++;
	stn_spread(search, bound);
}

/* The peer has died. */
static void
forget_peer(struct stn_search *search, struct stn_bound_peer *peer)
{
	search->counts.unanswered += peer->waiting;
	peer->waiting = false;
}

void
stn_spread_anew(struct stn_search *search, uint32_t lost)
{
	struct stn_bound_state *bound = NULL;

	while ((bound = stn_bounds_next(&search->bounds, bound))) {
		for (uint32_t i = 0; i < search->bounds.nodes; i++)
			bound->peers[i].spared = 0;
		if (lost != STN_NOBODY)
			forget_peer(search, &bound->peers[lost]);
		stn_spread(search, bound);
	}
}
