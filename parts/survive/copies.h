/*
 * copies.h: copies of parts, in case nodes die. Net lock held, unless said
 * otherwise.
 *
 * When a part reaches the version that the root has announced (versions.h), the
 * worker that has swept it makes the first copy, in the memory of the part's
 * home. The second copy goes to another node (second.h).
 *
 * The copies of the last complete version are kept until the next one is
 * complete. Copies don't move with their parts.
 *
 * Copies of other versions are made to be written to disk (store.h).
 */
#ifndef STN_PARTS_SURVIVE_COPIES_H
#define STN_PARTS_SURVIVE_COPIES_H

#include "parts/parts.h"

#define STN_COPY_SHARE 100 /* copying takes one part of so many of the time */

struct stn_copy {
	SLIST_ENTRY(stn_copy) link;
	struct stn_parts *array;
	struct stn_parts_copy header;
	bool first;   /* made here */
	bool sent;    /* there is a second copy, or can't be one */
	bool handed;  /* this node leaves, and has sent it to another one */
	bool listed;  /* the array has it; else it is only to be written */
	bool writing; /* the log writer reads it: it must stay in memory */
	uint32_t to;  /* the node that gets the second copy */
	size_t moved; /* bytes that have been sent to node @to; of a second
		       * copy: that have arrived */
	size_t bytes; /* of @data */
	_Alignas(64) unsigned char data[];
};

/* Whether all of it is here. */
static inline bool
stn_copy_whole(const struct stn_copy *copy)
{
	return copy->first || copy->moved == copy->bytes;
}

/*
 * stn_copy_bytes: the size of a copy of part @part of a grid, in bytes.
 * stn_copy_create: a copy of the part of @header, which the caller owns; its
 * contents are undefined.
 * stn_copy_insert: gives the copy to the array.
 * stn_copies_due: whether the part is to be copied after a turn that raises its
 * version.
 * stn_copy_make: copies the part as it is, as version @version; the caller owns
 * the copy. Called by the worker that sweeps the part; no lock.
 * stn_copies_add: gives the array a copy that was made in @took_ns, if it is of
 * the version that is to be copied; otherwise it stays the caller's.
 * stn_copy_release: frees a copy, unless it is listed or being written.
 * stn_copies_check: the part has another version, or has arrived: notes whether
 * it has passed the version to be copied without a copy.
 * stn_copy_create and stn_copy_make end the run if there is no memory.
 */
size_t stn_copy_bytes(const struct stn_parts *array, uint32_t part);
struct stn_copy *stn_copy_create(struct stn_parts *array,
				 const struct stn_parts_copy *header);
void stn_copy_insert(struct stn_copy *copy);
bool stn_copies_due(const struct stn_part *part);
struct stn_copy *stn_copy_make(const struct stn_part *part, uint64_t version);
void stn_copies_add(struct stn_part *part, struct stn_copy *copy,
		    uint64_t took_ns);
void stn_copy_release(struct stn_copy *copy);
void stn_copies_check(struct stn_part *part);

/*
 * stn_copies_keep: version @complete is complete, and @next is copied next:
 * drops copies of other versions, except later ones than @next.
 * stn_copies_return: all parts return to version @version: drops all copies of
 * other versions, also of later ones, which will be made again.
 * stn_copies_promised: a view was applied, but its notices have not come:
 * perhaps they say that copies are here. Until then stn_copies_keep drops none.
 * stn_copies_find: a copy of part @part with that version that has arrived
 * whole, or NULL. The array owns it.
 * stn_copies_any: the same, but the copy may not have arrived whole.
 * stn_copies_unpack: the part, which is on this node, gets the contents and the
 * version of the copy.
 * stn_part_return: the same, from the @size bytes of a copy at @from.
 * STN_MALFORMED if it is none of that part.
 * stn_copies_fini: frees all copies.
 */
void stn_copies_keep(struct stn_parts *array, uint64_t complete, uint64_t next);
void stn_copies_return(struct stn_parts *array, uint64_t version);
bool stn_copies_promised(const struct stn_parts *array);
const struct stn_copy *stn_copies_find(const struct stn_parts *array,
				       uint32_t part, uint64_t version);
struct stn_copy *stn_copies_any(const struct stn_parts *array, uint32_t part,
				uint64_t version);
void stn_copies_unpack(const struct stn_copy *copy, struct stn_part *part);
STN_CHECKED enum stn_err stn_part_return(struct stn_part *part,
					 uint64_t version,
					 const unsigned char *from,
					 size_t size);
void stn_copies_fini(struct stn_parts *array);

#endif
