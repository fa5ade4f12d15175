/*
 * verbs_connect.h: the functions of verbs_connect.c that other files of the
 * backend call.
 */
#ifndef STN_TRANSPORT_VERBS_VERBS_CONNECT_H
#define STN_TRANSPORT_VERBS_VERBS_CONNECT_H

#include "transport/verbs/verbs.h"

/* verbs_post_datagram: posts a buffer for a datagram. */
int verbs_post_datagram(struct verbs *verbs, uint32_t buffer);

/* verbs_own_address: this endpoint's address. */
struct verbs_address verbs_own_address(const struct verbs *verbs);

/*
 * verbs_set_address: sets the address of node @rank, of the size of a struct
 * verbs_address. Returns STN_INVALID if it can't be reached from here.
 */
STN_CHECKED enum stn_err verbs_set_address(struct verbs *verbs, uint32_t rank,
					   const unsigned char *address,
					   struct stn_why *why);

/* verbs_create_pair: creates a queue pair that uses this endpoint's queues. */
struct ibv_qp *verbs_create_pair(struct verbs *verbs, uint32_t inline_bytes);

/*
 * verbs_establish: begins to connect to a peer, or sends the CONNECT again when
 * it is due.
 */
void verbs_establish(struct verbs *verbs, struct verbs_peer *peer);

/* verbs_datagram_received: handles a datagram's completion. */
void verbs_datagram_received(struct verbs *verbs,
			     const struct ibv_wc *completion);

/* verbs_disconnect: destroys a connection and its route. */
void verbs_disconnect(struct verbs *verbs, struct verbs_peer *peer);

#endif
