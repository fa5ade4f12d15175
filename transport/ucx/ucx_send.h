/*
 * ucx_send.h: the functions of ucx_send.c and ucx_pull.c that other files of
 * the backend call.
 */
#ifndef STN_TRANSPORT_UCX_UCX_SEND_H
#define STN_TRANSPORT_UCX_UCX_SEND_H

#include "transport/ucx/ucx.h"

/*
 * ucx_op_begin: an operation with room for @count pieces.
 * ucx_op_add_all: adds pieces to it.
 * ucx_op_data: its pieces.
 */
struct ucx_op *ucx_op_begin(struct ucx_peer *peer, enum ucx_op_type type,
			    size_t count, stn_done *done, void *arg);
void ucx_op_add_all(struct ucx_op *op, const struct iovec *pieces,
		    size_t count);
struct ucx_data ucx_op_data(const struct ucx_op *op);

/* ucx_op_send: sends an operation, with the first @head_bytes of its head. */
void ucx_op_send(struct ucx_op *op, size_t head_bytes, unsigned flags);

/*
 * ucx_send_done: sends a DONE, if the peer has an endpoint.
 * ucx_say_goodbye: tells a peer that this endpoint is being closed.
 */
void ucx_send_done(struct ucx_peer *peer, uint64_t token, uint64_t status);
void ucx_say_goodbye(struct ucx_peer *peer);

/*
 * ucx_op_posted: handles UCX's return value for an operation: NULL, a request
 * or an error.
 * ucx_op_completed: UCX has completed an operation.
 */
void ucx_op_posted(struct ucx_op *op, ucs_status_ptr_t request);
void ucx_op_completed(struct ucx_op *op, ucs_status_t status);

/* ucx_offer_ended: stn_rendezvous.ended. */
stn_offer_ended ucx_offer_ended;

/*
 * ucx_run_ended: calls the done of all ended operations; returns how many. Must
 * not be called inside UCX, except in its handler of messages.
 */
unsigned ucx_run_ended(struct ucx *ucx);

/* send, offer, pull and refuse of stn_transport_ops. */
stn_ops_send ucx_send, ucx_offer;
stn_ops_pull ucx_pull;
stn_ops_refuse ucx_refuse;

#endif
