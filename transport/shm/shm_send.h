/*
 * shm_send.h: the functions of shm_send.c that other files of the backend call.
 */
#ifndef STN_TRANSPORT_SHM_SHM_SEND_H
#define STN_TRANSPORT_SHM_SHM_SEND_H

#include "transport/shm/shm.h"

/* shm_packet_make: a packet without a header and without a block. */
struct shm_packet shm_packet_make(const struct shm *shm,
				  enum stn_packet_type type,
				  size_t payload_bytes);

/*
 * shm_put: puts a packet into the ring at node @to, with the next @bytes of a
 * walk. Returns false if there is no room now. Wakes nobody.
 */
bool shm_put(struct shm *shm, uint32_t to, const struct shm_packet *packet,
	     struct stn_pieces_walk *walk, size_t bytes);

/*
 * shm_wake: wakes a peer that sleeps. Must be called after something was
 * published that the peer may wait for. Returns false if the peer has closed
 * its endpoint.
 */
bool shm_wake(struct shm_peer *peer);

/*
 * shm_submit: puts a packet into the ring and wakes its node, or lets the
 * packet wait for room. stn_transport_ops.send says what is copied.
 */
void shm_submit(struct shm *shm, uint32_t to, const struct shm_packet *packet,
		const struct iovec *pieces, size_t count, stn_done *done,
		void *arg);

/*
 * The packets to a peer that wait for room in the ring:
 * shm_send_waiting: puts them into the ring while it has room, if the peer is
 *   open; returns how many.
 * shm_can_send_waiting: has the ring room for the first? There must be one.
 * shm_end_waiting: drops them, and calls their done with @err.
 */
unsigned shm_send_waiting(struct shm *shm, uint32_t to);
bool shm_can_send_waiting(struct shm_peer *peer);
void shm_end_waiting(struct shm *shm, struct shm_peer *peer, enum stn_err err);

/* shm_began, shm_ended: count the operations with a peer. */
void shm_began(struct shm *shm, struct shm_peer *peer);
void shm_ended(struct shm *shm, struct shm_peer *peer);

/* send of stn_transport_ops. */
stn_ops_send shm_send;

#endif
