/*
 * constants.h: the constants of records (sateen_const.h). A node has all
 * constants of the records in its deques and its inbox. Net lock held.
 */
#ifndef STN_STEAL_CONSTANTS_H
#define STN_STEAL_CONSTANTS_H

#include "steal/steal.h"

/* stn_record_constants_leave: @record is about to leave this node. */
void stn_record_constants_leave(struct stn_steal *steal,
				const struct stn_task *task,
				const struct stn_record *record);

/*
 * stn_record_lacks: whether @argument of @record is a constant that this node
 * lacks. Then sets *hash_p.
 */
bool stn_record_lacks(const struct stn_steal *steal,
		      const struct stn_argument *argument,
		      const struct stn_record *record, uint64_t *hash_p);

#endif
