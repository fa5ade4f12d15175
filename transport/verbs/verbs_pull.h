/*
 * verbs_pull.h: the functions of verbs_pull.c that other files of the backend
 * call.
 */
#ifndef STN_TRANSPORT_VERBS_VERBS_PULL_H
#define STN_TRANSPORT_VERBS_VERBS_PULL_H

#include "transport/verbs/verbs.h"

/* verbs_pull.c: offer, pull and refuse of stn_transport_ops. */
void verbs_offer(struct stn_transport *transport, uint32_t to, uint8_t kind,
		 const void *header, size_t header_bytes,
		 const struct iovec *pieces, size_t count, stn_done *done,
		 void *arg);
void verbs_pull(struct stn_transport *transport,
		const struct stn_arrival *arrival, const struct iovec *pieces,
		size_t count, stn_done *done, void *arg);
void verbs_refuse(struct stn_transport *transport,
		  const struct stn_arrival *arrival);

/* verbs_offer_ended: stn_rendezvous.ended. */
void verbs_offer_ended(struct stn_transport *transport, struct stn_offer *ended,
		       enum stn_err err);

#endif
