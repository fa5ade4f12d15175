/*
 * store.h: writes versions of arrays to disk (--keep). Net lock held.
 *
 * The root says which version is to be written (versions.h). When a part
 * reaches it, the worker makes a copy, as for the case of deaths (copies.h),
 * and the log writer (steal/keep_writer.h) writes the copy into a file for that
 * version; the history of the array comes first. A version is on disk when all
 * parts are, on all nodes. Then older files are removed, except those of the
 * version before, which is used if a file is damaged. So there are files of two
 * versions, and while a version is being written, of a third.
 *
 * Writing and copying take 1 % of the time at most. So the root lets a version
 * be written STN_COPY_SHARE times as long after the last one began as the
 * slowest node needed for that one, and not before STN_STORE_NS.
 */
#ifndef STN_PARTS_SURVIVE_STORE_H
#define STN_PARTS_SURVIVE_STORE_H

#include "parts/survive/copies.h"

#define STN_STORE_NS 1000000000ull
#define STN_STORE_FAILED UINT64_MAX /* the version could not be written */

/*
 * stn_store_create: the array is made: finds out whether it is to be written.
 * stn_store_due: whether the part is to be written after a turn that raises its
 * version.
 * stn_store_copy: the copy of the part was made in @took_ns: writes it, if its
 * version is to be written.
 * stn_store_check: the part has another version, or has arrived: notes whether
 * it has passed the version without being written.
 * stn_store_set: VERSION has arrived: version @kept is the last one that is on
 * disk, and @next the next to be written. Removes the files of other versions
 * than these and the one before @kept.
 * stn_store_short: the version as in GIVE.
 * stn_store_cost: how many ns the version took on this node, or
 * STN_STORE_FAILED.
 * stn_store_look_after: notes which copies the log writer has written. Returns
 * when to call it again, in ns as @now.
 * They end the run if there is no memory. None waits for the disk.
 */
static inline uint32_t
stn_store_short(uint64_t version)
{
	return version & INT32_MAX;
}
void stn_store_create(struct stn_parts *array);
bool stn_store_due(const struct stn_part *part);
void stn_store_copy(struct stn_part *part, struct stn_copy *copy,
		    uint64_t took_ns);
void stn_store_check(struct stn_part *part);
void stn_store_set(struct stn_parts *array, uint64_t kept, uint64_t next);
uint64_t stn_store_cost(const struct stn_parts *array);
uint64_t stn_store_look_after(struct stn_parts_service *service, uint64_t now);

/*
 * stn_store_free: the array is freed: removes its files, except those of the
 * newest version: a resumed run needs it, because main uses the array again.
 */
void stn_store_free(struct stn_parts *array);

/* stn_store_fini: the array won't be used: frees what is known of its files. */
void stn_store_fini(struct stn_parts *array);

#endif
