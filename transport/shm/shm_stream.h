/*
 * shm_stream.h: large payloads. The functions of shm_stream.c and shm_read.c
 * that other files of the backend call.
 */
#ifndef STN_TRANSPORT_SHM_SHM_STREAM_H
#define STN_TRANSPORT_SHM_SHM_STREAM_H

#include "transport/shm/shm.h"

/* offer, pull and refuse of stn_transport_ops. */
stn_ops_send shm_offer;
stn_ops_pull shm_pull;
stn_ops_refuse shm_refuse;

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
stn_offer_ended shm_offer_ended;

/*
 * shm_read: reads on in the oldest payload of a peer that this endpoint reads.
 * Returns how many parts of a stream have as many bytes; 0: there is no such
 * payload.
 */
unsigned shm_read(struct shm *shm, uint32_t from);

/* shm_stream_ask: asks a peer to stream a payload. The pull is in no list. */
void shm_stream_ask(struct shm *shm, uint32_t from, struct shm_pull *pull);

/* shm_answer: tells a peer that its payload has arrived, or is refused. */
void shm_answer(struct shm *shm, uint32_t to, uint64_t token, bool refused);

/* shm_pull_end: ends the first pull of a peer's list, and frees it. */
void shm_pull_end(struct shm *shm, struct shm_peer *peer,
		  struct shm_pulls *pulls, enum stn_err err);

/* shm_stream_end: ends all offers to a peer, and all pulls from it. */
void shm_stream_end(struct shm *shm, uint32_t rank, enum stn_err err);

#endif
