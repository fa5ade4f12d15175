/*
 * revive_parts.h: a node gets the parts of an array from disk; see revive.h.
 * Net lock held.
 */
#ifndef STN_PARTS_SURVIVE_REVIVE_PARTS_H
#define STN_PARTS_SURVIVE_REVIVE_PARTS_H

#include "parts/survive/revive_mail.h"

/*
 * stn_revive_new: makes new parts of the array on this node.
 * stn_revive_parts: makes the parts of the version that the root has chosen in
 * @mail, a REVIVE, which stays the caller's: from this node's disk, or by
 * asking other nodes. STN_MALFORMED.
 * stn_revive_needed: NEED has arrived: sends the part. STN_MALFORMED.
 * stn_revive_take: REVIVED has arrived: receives the part. STN_MALFORMED.
 */
void stn_revive_new(struct stn_parts *array);
STN_CHECKED enum stn_err stn_revive_parts(struct stn_parts *array,
					  const struct stn_revive_mail *mail);
STN_CHECKED enum stn_err stn_revive_needed(struct stn_parts_service *service,
					   const struct stn_parts_need *header);
STN_CHECKED enum stn_err stn_revive_take(struct stn_parts *array,
					 const struct stn_message *message,
					 const struct stn_parts_need *header);

#endif
