/*
 * stored.h: versions of arrays on disk: their form, and an index of those that
 * an earlier run has left. Only arrays that main has made are kept.
 *
 * A log of an array (steal/keep_log.h) is of one version. Its entries are the
 * history and the parts that the node had; the numbers of an entry are
 *
 *	key.high	the number of the array
 *	key.low		the version
 *	hint		the part, or STN_STORED_HISTORY
 *	cost_ns		the lineage
 *	outputs		the layers of the part, or its block (block.h), as in
 *			GIVE; or the history: a struct stn_stored_history, then
 *			the calls, as struct stn_call, and of cells the plans
 *			that have made the version: how the parts were cut, and
 *			the brief summaries, if there are any. Of each plan: a
 *			struct stn_parts_plan, the size of its payload in bytes
 *			(64 bits), and the payload, up to a multiple of 8 bytes.
 *
 * The lineage is a hash of all that the points depend on: how the array was
 * made, and the calls up to the version. So parts of runs with other arguments
 * don't get mixed.
 */
#ifndef STN_PARTS_SURVIVE_STORED_H
#define STN_PARTS_SURVIVE_STORED_H

#include "parts/history.h"
#include "steal/resume.h"

#define STN_STORED_HISTORY UINT32_MAX

struct stn_stored_history {
	struct stn_parts_create create;
	struct stn_parts_operate order; /* the operation that has the version */
	struct stn_parts_operate boundary; /* the last one; number 0: none */
	uint64_t base, end; /* the array's version before and after @order */
	uint32_t calls;	    /* up to @order */
	uint32_t got;	    /* see struct stn_history */
	uint32_t plans;	    /* of cells; of a grid 0 */
	uint32_t unused;
};

#define STN_STORED_PLANS 2

struct stn_stored_plan {
	struct stn_parts_plan header;
	const void *payload;
	size_t bytes;
};

/* A history that was read: its pointers point into the bytes that were read. */
struct stn_stored_read {
	struct stn_stored_history head;
	const struct stn_call *calls;
	struct stn_stored_plan plans[STN_STORED_PLANS];
};

/* A part, or a history, in a mapped log. */
struct stn_stored_entry {
	uint32_t array, part;
	uint64_t version, lineage, size;
	const void *bytes;
};

/* All entries, by array, version (the newest first), lineage and part. */
struct stn_stored {
	const struct stn_resume *resume;
	struct stn_stored_entry *list;
	size_t count, room;
};

/*
 * stn_stored_write: the history of a version that the parts reach in operation
 * @number, with the @count plans at @plans, in memory that the caller frees.
 * NULL: no memory. Sets *size_p, in bytes, and *lineage_p.
 * stn_stored_read: sets *read_p to the history in @bytes, which must be aligned
 * to 8, and outlive *read_p. STN_MALFORMED: it is not a history of version
 * @version. @table has the kernels.
 * stn_stored_sweeps: how many sweeps of the last call are in version @version,
 * if a block of the array has @block sweeps.
 */
uint64_t stn_stored_sweeps(const struct stn_stored_history *head,
			   uint64_t version, uint32_t block);
void *stn_stored_write(const struct stn_parts_create *create,
		       const struct stn_history *history, uint32_t number,
		       const struct stn_stored_plan *plans, uint32_t count,
		       size_t *size_p, uint64_t *lineage_p);
STN_CHECKED enum stn_err stn_stored_read(const void *bytes, size_t size,
					 uint64_t version,
					 const struct stn_table *table,
					 struct stn_stored_read *read_p);

/*
 * stn_create_same: whether two arrays have the same shape and type.
 */
bool stn_create_same(const struct stn_parts_create *a,
		     const struct stn_parts_create *b);

/*
 * stn_stored_open: the index of the logs of arrays that @resume has mapped.
 * @tells  prints a line about each damaged log on stderr
 * *stored_p needs @resume until stn_stored_close. STN_NO_MEMORY.
 * stn_stored_close: @stored may be NULL.
 */
STN_CHECKED enum stn_err stn_stored_open(const struct stn_resume *resume,
					 bool tells,
					 struct stn_stored **stored_p);
void stn_stored_close(struct stn_stored *stored);

/*
 * stn_stored_first: the first entry of array @array; if there is none, an entry
 * of another array, or the end of the list.
 * stn_stored_end: the entry behind the last one of the version and lineage of
 * @entry, or the end of the list. @entry is not the end of the list.
 * stn_stored_find: part @part of that version, or the history; or NULL.
 */
const struct stn_stored_entry *stn_stored_first(const struct stn_stored *stored,
						uint32_t array);
const struct stn_stored_entry *
stn_stored_end(const struct stn_stored *stored,
	       const struct stn_stored_entry *entry);
const struct stn_stored_entry *stn_stored_find(const struct stn_stored *stored,
					       uint32_t array, uint64_t version,
					       uint64_t lineage, uint32_t part);

/*
 * stn_stored_remove: removes those logs of versions of array @array up to
 * @version that no node writes any more.
 */
void stn_stored_remove(struct stn_stored *stored, uint32_t array,
		       uint64_t version);

#endif
