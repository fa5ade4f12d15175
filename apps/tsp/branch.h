/*
 * branch.h: the shortest tour, by branch and bound with 1-trees. Plain C: the
 * tasks of trees.c divide the first branchings, and this search does the rest.
 *
 * A place of the search is a list of decisions: edges that are required or
 * forbidden. The search improves the multipliers of the place that it comes
 * from. If the bound then allows a shorter tour, a city of the 1-tree has three
 * edges or more, and two of its edges make two or three places: both required;
 * the first required and the second forbidden; the first forbidden (T.
 * Volgenant and R. Jonker, European Journal of Operational Research 9, 1982).
 * They are searched in this order. They depend on the place and on the limit,
 * but not on the incumbent; so the answer doesn't depend on how the search is
 * divided.
 */
#ifndef TSP_BRANCH_H
#define TSP_BRANCH_H

#include <sateen.h>

#include "apps/tsp/onetree.h"

#define BRANCH_PLACES_MOST 3	/* of one branching */
#define BRANCH_DECISIONS_MOST 2 /* more than in the place before */

struct branch_decision {
	uint8_t a, b, required;
};

/* The places that follow a place. */
struct branch_places {
	int count;
	struct {
		int64_t bound; /* no tour there is shorter; of 1/ONETREE_UNIT */
		int decisions;
		struct branch_decision decision[BRANCH_DECISIONS_MOST];
	} place[BRANCH_PLACES_MOST];
	int64_t multiplier[ONETREE_CITIES]; /* to begin with */
};

/*
 * A search. It is large, so branch_begin initialises no more than is needed;
 * the caller sets the members after @tree and @decision.
 */
struct branch_hunt {
	struct onetree tree;
	struct branch_decision decision[ONETREE_EDGES_MOST];
	int decisions; /* in the place that is looked at */
	const struct onetree_graph *graph;
	uint64_t key; /* of the place that it begins with */
	const struct stn_incumbent *best;

	/* The tour of the 1-tree is better than *best. */
	void (*found)(struct branch_hunt *hunt, int64_t length);

	/* Has looked at a place, and computed so many 1-trees; may be NULL. */
	void (*look)(struct branch_hunt *hunt, int trees);
};

/*
 * branch_prepare: makes the graph of those edges of @tsp, which has at least
 * three cities, that tours shorter than @limit may have, and good multipliers.
 * @trees_p receives the number of 1-trees computed. Returns a bound of all
 * tours.
 */
int64_t branch_prepare(const struct tsplib *tsp, int64_t limit,
		       struct onetree_graph *graph, int64_t *multiplier,
		       int *trees_p);

/*
 * branch_cuts: whether the search may leave out a place with that bound.
 */
static inline bool
branch_cuts(const struct stn_incumbent *best, int64_t bound, uint64_t key)
{
	int64_t length = (bound + ONETREE_UNIT - 1) / ONETREE_UNIT;

	return STN_CUTS_MIN(best, length, key);
}

/*
 * branch_look: looks at the place of @hunt's decisions, with @multiplier to
 * begin with. Returns whether there are places that follow, and sets *@places_p
 * to them. If the shortest tour of the place is found, calls @found.
 */
bool branch_look(struct branch_hunt *hunt, const int64_t *multiplier,
		 struct branch_places *places_p);

/* branch_hunt_on: searches that place, which has that bound. */
void branch_hunt_on(struct branch_hunt *hunt, int64_t bound,
		    const int64_t *multiplier);

/* A tour: its length, and its cities from city 0 on. */
struct branch_tour {
	int64_t length;
	uint8_t order[ONETREE_CITIES];
};

/*
 * branch_search: the shortest tour that is shorter than the limit of @graph; if
 * there is none, its length is the limit. @trees_p receives the number of
 * 1-trees computed.
 */
struct branch_tour branch_search(const struct onetree_graph *graph,
				 int64_t bound, const int64_t *multiplier,
				 uint64_t *trees_p);

#endif
