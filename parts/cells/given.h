/*
 * given.h: the records that calls of STN_CELLS_PUT have given, on the node of
 * their caller. A death may undo such a call until all new parts have copies.
 * So the node keeps the records until then, and gives them again when the root
 * repeats the call (give.h). Net lock held.
 */
#ifndef STN_PARTS_GIVEN_H
#define STN_PARTS_GIVEN_H

#include "parts/cells/cells.h"

struct stn_given {
	SLIST_ENTRY(stn_given) link;
	uint32_t serial; /* of the plan that cuts the records */
	uint64_t end;	 /* the array's version after the call; 0: not known */
	bool sent;	 /* to the homes of the parts that are made now */
	uint64_t count;
	struct stn_record_key *keys; /* in order */
	uint32_t *order;	     /* the records in the order of the keys */
	const unsigned char *records;
	unsigned char *copy; /* the same; NULL: they are the caller's memory */
};

/*
 * stn_given_keep: keeps the records of @given, whose arrays it takes over, for
 * the plan @serial. If a death may undo the call, copies the records.
 * STN_NO_MEMORY.
 * stn_given_find: those of that plan, or NULL.
 * stn_given_over: the call of that plan is over: its caller's memory may change.
 * stn_given_drop: version @version is complete: no death undoes the calls up to
 * there, unless all copies of a part are lost. For that case the records of all
 * calls are kept as long as they take little memory.
 * stn_given_unsend: the parts return to an earlier version.
 * stn_given_fini: forgets all.
 */
STN_CHECKED enum stn_err stn_given_keep(struct stn_parts *array,
					const struct stn_given *given,
					uint32_t serial);
struct stn_given *stn_given_find(const struct stn_cells *cells,
				 uint32_t serial);
void stn_given_over(struct stn_parts *array, uint32_t serial);
void stn_given_drop(struct stn_parts *array, uint64_t version);
void stn_given_unsend(struct stn_cells *cells);
void stn_given_fini(struct stn_cells *cells);

/*
 * stn_given_small: whether the records of one call take so little memory that
 * stn_given_drop may keep them.
 */
bool stn_given_small(const struct stn_cells *cells);

#endif
