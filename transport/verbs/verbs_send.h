/*
 * verbs_send.h: the functions of verbs_send.c and verbs_pull.c that other files
 * of the backend call.
 */
#ifndef STN_TRANSPORT_VERBS_VERBS_SEND_H
#define STN_TRANSPORT_VERBS_VERBS_SEND_H

#include "transport/verbs/verbs.h"

/*
 * verbs_progress_pending: works on the peers that verbs_set_pending has listed;
 * returns how much it did.
 */
unsigned verbs_progress_pending(struct verbs *verbs);

/*
 * verbs_submit_read: posts a read. The read waits if the peer has a backlog, if
 * earlier reads wait, or if it can't be posted. If the peer is dead or the
 * endpoint closes, the read ends.
 */
void verbs_submit_read(struct verbs *verbs, struct verbs_op *op);

/*
 * verbs_owes: is there a message to the peer that has not left, other than a
 * heartbeat, or a read from it that has not ended?
 */
bool verbs_owes(const struct verbs_peer *peer);

/*
 * verbs_post_work: posts a work request to a peer's queue. Returns false if the
 * queue is full or the connection is not open.
 * @op  ends when the request completes; may be NULL
 */
bool verbs_post_work(struct verbs *verbs, uint32_t to, struct ibv_send_wr *work,
		     struct verbs_op *op);

/* verbs_send_message: sends a message. See stn_transport_ops.send. */
void verbs_send_message(struct verbs *verbs, uint32_t to,
			const struct verbs_message *message, stn_done *done,
			void *arg);

/* verbs_release: ends a peer's connection and all operations with the peer. */
void verbs_release(struct verbs *verbs, struct verbs_peer *peer,
		   enum stn_err err);

/* send, offer, pull and refuse of stn_transport_ops. */
stn_ops_send verbs_send, verbs_offer;
stn_ops_pull verbs_pull;
stn_ops_refuse verbs_refuse;

/* verbs_offer_ended: stn_rendezvous.ended. */
stn_offer_ended verbs_offer_ended;

#endif
