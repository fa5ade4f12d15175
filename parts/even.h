/*
 * even.h: settle for arrays of cells. Their parts do not wait for each other,
 * but each sweep ends when all have been swept. So a node that has swept all
 * its parts asks other nodes for parts that are left in this sweep, one node
 * after the other. The answer is as many as make both finish at the same time,
 * by the times that the parts took in the last sweep with the same kernel, or
 * by their records if that is not known. Parts stay where they have been swept.
 * Net lock held.
 */
#ifndef STN_PARTS_EVEN_H
#define STN_PARTS_EVEN_H

#include "parts/cells.h"

/*
 * stn_even_begins, _idle, _asked, _answered, _arrived, _regrouped: as the
 * members of a scheduler.
 */
void stn_even_begins(struct stn_parts *array);
uint64_t stn_even_idle(struct stn_parts *array, uint64_t now);
void stn_even_asked(struct stn_parts *array, uint32_t from,
		    const struct stn_parts_ask *ask);
void stn_even_answered(struct stn_parts *array, uint32_t from,
		       const struct stn_parts_ask *answer, uint64_t now);
void stn_even_arrived(struct stn_parts *array, uint64_t now);
void stn_even_regrouped(struct stn_parts *array);

#endif
