/*
 * master.h: the master allocator, on the root. Net lock held.
 *
 * It deals with reports, requests and other messages one after the other. If
 * the fractiling master has not registered, because it moves or has not begun,
 * requests wait. Before the resident set of the fractiling master moves, the
 * master allocator stops to pass requests on to it: MIGRATE is the paper's
 * End-of-Channel.
 */
#ifndef STN_PARTS_HECTOR_MASTER_H
#define STN_PARTS_HECTOR_MASTER_H

#include "parts/hector/hector.h"

/*
 * stn_master_init, _fini. stn_master_forget: nodes have died or left.
 * stn_master_tell: sends a message to the master allocator.
 * stn_master_take: a message for it has come. STN_MALFORMED.
 * stn_master_look: deals with messages. Returns when to call it again.
 */
void stn_master_init(struct stn_hector *hector);
void stn_master_fini(struct stn_hector *hector);
void stn_master_forget(struct stn_hector *hector);
void stn_master_tell(struct stn_hector *hector, uint8_t kind,
		     const void *header, size_t bytes);
STN_CHECKED enum stn_err stn_master_take(struct stn_hector *hector,
					 const struct stn_message *message);
uint64_t stn_master_look(struct stn_hector *hector, uint64_t now);

#endif
