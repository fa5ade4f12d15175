/*
 * shm_segment.h: the functions of shm_segment.c that other files of the backend
 * call.
 */
#ifndef STN_TRANSPORT_SHM_SHM_SEGMENT_H
#define STN_TRANSPORT_SHM_SHM_SEGMENT_H

#include "transport/shm/shm.h"

/*
 * shm_segment_make: makes the endpoint's segment and its doorbell.
 * shm_segment_free: frees them, even if they are half made.
 */
STN_CHECKED enum stn_err shm_segment_make(struct shm *shm, struct stn_why *why);
void shm_segment_free(struct shm *shm);

/*
 * shm_segment_join: makes this node the producer of its ring at a peer, and
 * makes sure that the ring's memory exists. Must be called before the first
 * shm_put.
 * @how_p  why the ring can't be used, if it returns false
 */
bool shm_segment_join(struct shm *shm, uint32_t to, const char **how_p);

/* shm_segment_drop: unmaps a peer's segment. May be called again. */
void shm_segment_drop(struct shm *shm, uint32_t rank);

/* shm_segment_punch: frees the memory of a dead peer's ring. */
void shm_segment_punch(struct shm *shm, uint32_t rank);

/* address and connect of stn_transport_ops. */
size_t shm_address(struct stn_transport *transport,
		   unsigned char address[STN_ADDRESS_BYTES]);
enum stn_err shm_connect(struct stn_transport *transport, uint32_t rank,
			 const unsigned char *address, size_t bytes,
			 struct stn_why *why);

#endif
