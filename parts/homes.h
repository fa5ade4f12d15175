/*
 * homes.h: the base map: which node has which parts, as far as a node has not
 * heard of a move. Living nodes compute the same map from the same members.
 */
#ifndef STN_PARTS_HOMES_H
#define STN_PARTS_HOMES_H

#include "node/members.h"
#include "parts/wire.h"

/* Homes of all parts in their order; none: nodes 0 to n - 1 have equal shares.
 */
struct stn_homes {
	struct stn_home *list;
	uint32_t count, room;
};

/* stn_homes_add: adds the home of part @number, behind all others.
 * STN_NO_MEMORY.
 */
STN_CHECKED enum stn_err stn_homes_add(struct stn_homes *homes, uint32_t number,
				       uint32_t home, uint32_t epoch);

/* stn_homes_at: the entry of part @number. The map is not empty. */
const struct stn_home *stn_homes_at(const struct stn_homes *homes,
				    uint32_t number);

/*
 * stn_homes_spread: spreads @parts parts over @nodes nodes, whose ranks are
 * @ranks, in equal shares. STN_NO_MEMORY.
 */
STN_CHECKED enum stn_err stn_homes_spread(struct stn_homes *homes,
					  uint32_t parts, const uint32_t *ranks,
					  uint32_t nodes);

/*
 * stn_homes_valid: whether the entries are all @parts parts in their order, on
 * ranks below @nodes. If not @whole, parts may be left out.
 */
bool stn_homes_valid(const struct stn_home *list, uint32_t count,
		     uint32_t parts, uint32_t nodes, bool whole);

void stn_homes_fini(struct stn_homes *homes);

#endif
