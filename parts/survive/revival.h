/*
 * revival.h: which versions of an array the nodes have on disk, and which of
 * them is the newest that is complete. The root collects that when an array is
 * made in a run with --resume.
 */
#ifndef STN_PARTS_SURVIVE_REVIVAL_H
#define STN_PARTS_SURVIVE_REVIVAL_H

#include "parts/homes.h"

/* Parts @first to @first + @count - 1; on the wire. */
struct stn_parts_run {
	uint32_t first, count;
};

struct stn_revival_candidate {
	uint64_t version, lineage;
	uint32_t parts;	   /* that the array had; 0: not known yet */
	uint32_t *holders; /* of each part, or STN_NOBODY */
	uint32_t room;	   /* of holders */
	void *history;	   /* as in a log; NULL: no node has it */
	size_t history_bytes;
};

struct stn_revival {
	uint32_t most; /* parts that any version may have */
	uint32_t answers; /* nodes that have told all that they have */
	struct stn_revival_candidate *list;
	uint32_t count;

	/* On each node, when the root has chosen. */
	uint64_t version, lineage; /* version 0: the parts are made anew */
	uint32_t missing;	   /* parts that other nodes send */
	uint32_t *holders;
};

/*
 * stn_revival_create: of an array whose versions have @most parts at most. NULL:
 * no memory.
 */
struct stn_revival *stn_revival_create(uint32_t most);

/*
 * stn_revival_add: node @from has the parts of the @count runs at @runs of that
 * version. STN_MALFORMED if the array has no such part; STN_NO_MEMORY.
 * stn_revival_add_history: some node has the history of that version, which has
 * @parts parts; copies its @bytes bytes at @history. STN_NO_MEMORY.
 */
STN_CHECKED enum stn_err
stn_revival_add(struct stn_revival *revival, uint64_t version, uint64_t lineage,
		uint32_t from, const struct stn_parts_run *runs,
		uint32_t count);
STN_CHECKED enum stn_err
stn_revival_add_history(struct stn_revival *revival, uint64_t version,
			uint64_t lineage, uint32_t parts, const void *history,
			size_t bytes);

/*
 * stn_revival_choose: the newest version of which some node has each part, and
 * some node the history; NULL: none. @revival owns it.
 */
const struct stn_revival_candidate *
stn_revival_choose(const struct stn_revival *revival);

/* stn_revival_destroy: @revival may be NULL. */
void stn_revival_destroy(struct stn_revival *revival);

#endif
