/*
 * fetch.h: fetches the constants that this node lacks, for its own records and
 * for other nodes that have asked this node. All calls: net lock held.
 */
#ifndef STN_CONSTANTS_FETCH_H
#define STN_CONSTANTS_FETCH_H

#include "constants/service.h"
#include "constants/wire.h"

/* stn_fetches_fini: forgets all fetches. */
void stn_fetches_fini(struct stn_constants *constants);

/*
 * stn_fetch_want: node @from wants a constant that this node lacks: fetches it
 * from its source, and sends it.
 */
void stn_fetch_want(struct stn_constants *constants, uint32_t from,
		    const struct stn_const_want *want);

/*
 * stn_fetch_arrives: the constant with that hash has come as the payload of
 * @message.
 */
void stn_fetch_arrives(struct stn_constants *constants,
		       const struct stn_message *message, uint64_t hash);

/* stn_fetch_lacks: node @from can't get the constant with that hash. */
void stn_fetch_lacks(struct stn_constants *constants, uint32_t from,
		     uint64_t hash);

/* stn_fetch_died: node @rank has died: asks others. */
void stn_fetch_died(struct stn_constants *constants, uint32_t rank);

#endif
