/*
 * early.h: messages that come before this node can handle them: about an array
 * that it does not know yet, or sent by a node that has applied a newer view,
 * or begun a newer operation. They wait here with their payloads, and are
 * handled again when the state has changed. Net lock held.
 */
#ifndef STN_PARTS_EARLY_H
#define STN_PARTS_EARLY_H

#include "parts/parts.h"

/*
 * stn_early_keep: keeps a message, even if it has been kept before.
 * stn_early_retry: the state has changed: lets the service handle all messages
 * that wait. Not inside a handler that uses the state afterwards.
 * stn_early_take: as stn_transport_take, also of a message that has waited.
 * stn_early_refuse: as stn_transport_refuse.
 * stn_early_has: whether a message of this kind waits.
 */
void stn_early_keep(struct stn_parts_service *service,
		    const struct stn_message *message);
void stn_early_retry(struct stn_parts_service *service);
void stn_early_take(struct stn_parts_service *service,
		    const struct stn_message *message,
		    const struct iovec *pieces, size_t count, stn_done *done,
		    void *arg);
void stn_early_refuse(struct stn_parts_service *service,
		      const struct stn_message *message);
bool stn_early_has(const struct stn_parts_service *service, uint8_t kind);

void stn_early_fini(struct stn_parts_service *service);

#endif
