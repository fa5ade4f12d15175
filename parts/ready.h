/*
 * ready.h: the parts that can be swept now. Parts of a low version come first.
 * Of one version, parts with a neighbour on another node come first, so that
 * their pieces travel while the others are swept. Net lock held.
 */
#ifndef STN_PARTS_READY_H
#define STN_PARTS_READY_H

#include "parts/parts.h"

/*
 * stn_part_consider: queues the part if it can be swept now and is not queued;
 * wakes workers.
 * stn_part_withdraw: takes the part out of the queue.
 * stn_ready_take: takes the next part out of the queue, or returns NULL.
 * stn_part_fresh: whether the part has all pieces for its halo.
 * stn_part_is_meant: whether the current operation does anything with the part.
 * stn_part_skip: if the part is not meant, or has returned to a version behind
 * the operation, notes that it has finished the operation and is not counted.
 */
void stn_part_consider(struct stn_part *part);
void stn_part_withdraw(struct stn_part *part);
struct stn_part *stn_ready_take(struct stn_parts_service *service);
bool stn_part_fresh(const struct stn_part *part);
bool stn_part_is_meant(const struct stn_part *part);
void stn_part_skip(struct stn_part *part);

/* stn_ready_fini: frees the queue. */
void stn_ready_fini(struct stn_ready *ready);

#endif
