/*
 * send.h: sends constants to other nodes. All calls: net lock held; none waits
 * for another node.
 */
#ifndef STN_CONSTANTS_SEND_H
#define STN_CONSTANTS_SEND_H

#include "constants/service.h"

/* stn_constant_send: sends @constant to node @to. */
void stn_constant_send(struct stn_constants *constants,
		       const struct stn_constant *constant, uint32_t to);

/* stn_constant_lack: tells node @to that this node can't get the constant. */
void stn_constant_lack(struct stn_constants *constants, uint64_t hash,
		       uint32_t to);

/*
 * stn_constant_spread: sends a constant that was made here to the heads of the
 * other clusters, unless it is large.
 */
void stn_constant_spread(struct stn_constants *constants,
			 const struct stn_constant *constant);

#endif
