/*
 * tally.h: a tally: all counts of one node, or their sum over several nodes. It
 * holds the core's counts (counts.h), then those of each service, in the order
 * of the list of services.
 */
#ifndef STN_NODE_STATS_TALLY_H
#define STN_NODE_STATS_TALLY_H

#include "node/stats/counts.h"

#define STN_TALLY_WORDS 1000
#define STN_TALLY_ROWS 120

struct stn_tally {
	union {
		struct stn_counts core; /* the core's counts, first */
		uint64_t words[STN_TALLY_WORDS];
	};
};

/*
 * A packed tally: the words that are not 0. On a slow link each byte counts,
 * a simulation keeps the tallies of many nodes, and most words of most tallies
 * are 0.
 */
struct stn_tally_word {
	uint32_t word, low, high; /* the number of the word, and its halves */
};
struct stn_tally_packed {
	size_t count;
	struct stn_tally_word words[];
};

/* A count that is shown, and its place in a tally. */
struct stn_tally_row {
	const struct stn_count *count;
	size_t word;
};

/* The layout of the tallies of a run. */
struct stn_tally_layout {
	const struct stn_service *const *services; /* ends with NULL */
	size_t bytes;				   /* bytes of each tally */
	struct stn_tally_row rows[STN_TALLY_ROWS];
	size_t row_count;
};

/* stn_tally_layout: the layout for a run with these services. */
struct stn_tally_layout
stn_tally_layout(const struct stn_service *const *services);

/*
 * stn_tally_of: the counts in @tally that @table describes; one of @services
 * has that table.
 */
void *stn_tally_of(const struct stn_service *const *services,
		   const struct stn_count_table *table,
		   struct stn_tally *tally);

/*
 * stn_tally_pack: packs @tally. The caller frees the result; NULL if there is
 * no memory.
 */
struct stn_tally_packed *stn_tally_pack(const struct stn_tally *tally);

/* stn_tally_valid: whether the numbers of all words of @packed are possible. */
bool stn_tally_valid(const struct stn_tally_packed *packed);

/*
 * stn_tally_add: adds @packed, which is valid, to @to. NULL: adds nothing.
 */
void stn_tally_add(struct stn_tally *to, const struct stn_tally_packed *packed);

/*
 * stn_tally_get: the value of a count. stn_tally_is_time: whether it is a time.
 */
uint64_t stn_tally_get(const struct stn_tally_row *row,
		       const struct stn_tally *tally);
bool stn_tally_is_time(const struct stn_tally_row *row);

/*
 * stn_tally_sums: writes the sums that must hold for a run's total. Returns
 * their number. *hold_p becomes true if all hold.
 * @complete  the total has the counts of all nodes; otherwise only those sums
 *	      are written that hold on each node by itself
 */
size_t stn_tally_sums(const struct stn_tally_layout *layout,
		      const struct stn_tally *total, bool complete,
		      struct stn_sum sums[STN_SUMS_MOST], bool *hold_p);

/* stn_kind_name: the name of a kind of message; NULL if no service has it. */
const char *stn_kind_name(const struct stn_service *const *services,
			  unsigned kind);

#endif
