/*
 * copies.h: copies of parts, for the case that nodes die. Net lock held, unless
 * said otherwise.
 *
 * When a part reaches the version that the root has announced (versions.h), the
 * worker that has swept it makes the first copy, in the memory of the part's
 * home. The second copy goes to a node of another cluster if there is one, else
 * to another node. Second copies are sent one at a time, with pauses of
 * STN_COPY_SHARE times as long as a copy took: so they take 1 % of the time of
 * the network at most. The first one is sent when the run has taken so long
 * that this holds at the rates below. A node's copies go to the same other
 * node, so that they are few ranges when they are counted after a death.
 *
 * The copies of the last complete version are kept until the next one is
 * complete. Copies don't move with their parts.
 */
#ifndef STN_PARTS_COPIES_H
#define STN_PARTS_COPIES_H

#include "node/membership.h"
#include "parts/parts.h"

#define STN_COPY_SHARE 100
#define STN_COPY_LAN_NS 10 /* for each byte, as long as that is not known */
#define STN_COPY_WAN_NS 1000

/*
 * stn_copies_due: whether the part is to be copied after a turn that raises its
 * version.
 * stn_copy_make: copies the part as it is, as version @version. No lock; its
 * worker.
 * stn_copies_add: notes a copy that was made in @took_ns.
 * stn_copies_check: the part has another version, or has arrived: notes if it
 * has passed the version to be copied without a copy.
 */
bool stn_copies_due(const struct stn_part *part);
struct stn_copy *stn_copy_make(const struct stn_part *part, uint64_t version);
void stn_copies_add(struct stn_part *part, struct stn_copy *copy,
		    uint64_t took_ns);
void stn_copies_check(struct stn_part *part);

/* stn_copies_send: sends a copy, if it is time. Returns when to call it again.
 */
uint64_t stn_copies_send(struct stn_parts_service *service, uint64_t now);

/*
 * stn_copies_take: a copy arrives. STN_MALFORMED.
 * stn_copies_hand_over: this node leaves: sends all copies to others, once.
 */
STN_CHECKED enum stn_err stn_copies_take(struct stn_parts *array,
					 const struct stn_message *message,
					 const struct stn_parts_copy *header);
void stn_copies_hand_over(struct stn_parts *array);

/*
 * stn_copies_keep: keeps copies of version @complete, and of @next, only.
 * stn_copies_find: a copy of part @part with that version, or NULL.
 * stn_copies_unpack: makes the part, which is here, what it was in that
 * version. stn_copies_fini: frees all copies.
 */
void stn_copies_keep(struct stn_parts *array, uint64_t complete, uint64_t next);
const struct stn_copy *stn_copies_find(const struct stn_parts *array,
				       uint32_t part, uint64_t version);
void stn_copies_unpack(const struct stn_copy *copy, struct stn_part *part);
void stn_copies_fini(struct stn_parts *array);

/*
 * stn_copies_notices: sends notices of all copies on this node.
 * stn_copies_choose: the newest version of which, by the notices, each part has
 * a copy; 0: there is none. Sets @homes to nodes that have them.
 */
void stn_copies_notices(struct stn_parts *array);
uint64_t stn_copies_choose(const struct stn_parts *array,
			   const struct stn_notice *notices, size_t count,
			   struct stn_homes *homes);

#endif
