/*
 * shm_stream.h: the functions of shm_stream.c that other files of the backend
 * call.
 */
#ifndef STN_TRANSPORT_SHM_SHM_STREAM_H
#define STN_TRANSPORT_SHM_SHM_STREAM_H

#include "transport/shm/shm.h"

/* shm_stream.c: offer, pull and refuse of stn_transport_ops. */
void shm_offer(struct stn_transport *transport, uint32_t to, uint8_t kind,
	       const void *header, size_t header_bytes,
	       const struct iovec *pieces, size_t count, stn_done *done,
	       void *arg);
void shm_pull(struct stn_transport *transport,
	      const struct stn_arrival *arrival, const struct iovec *pieces,
	      size_t count, stn_done *done, void *arg);
void shm_refuse(struct stn_transport *transport,
		const struct stn_arrival *arrival);

/*
 * shm_stream_done, _pull, _data: handle a packet of this type from node @from.
 * @payload is the payload of a DATA. Return false if the packet makes no sense.
 */
bool shm_stream_done(struct shm *shm, uint32_t from,
		     const struct stn_done_block *done);
bool shm_stream_pull(struct shm *shm, uint32_t from, uint64_t token);
bool shm_stream_data(struct shm *shm, uint32_t from, uint64_t token,
		     const unsigned char *payload, size_t bytes);

/*
 * shm_stream_send: streams parts to a peer while its ring has room; returns how
 * many.
 */
unsigned shm_stream_send(struct shm *shm, uint32_t to);

/* shm_offer_ended: stn_rendezvous.ended. */
void shm_offer_ended(struct stn_transport *transport, struct stn_offer *ended,
		     enum stn_err err);

/* shm_stream_end: ends all offers to a peer, and all pulls from it. */
void shm_stream_end(struct shm *shm, uint32_t rank, enum stn_err err);

#endif
