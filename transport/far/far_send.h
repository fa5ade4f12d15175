/*
 * far_send.h: what a node sends by way of its gateway: far_batch.c fills a
 * batch, far_send.c writes it.
 */
#ifndef STN_TRANSPORT_FAR_FAR_SEND_H
#define STN_TRANSPORT_FAR_FAR_SEND_H

#include "transport/far/far.h"

/* far_fill_batch: fills the connection's empty batch with what is queued. */
void far_fill_batch(struct far *far, struct far_connection *connection);

/*
 * far_offer_streams: has the offer been announced, and has it bytes left to
 * send?
 */
bool far_offer_streams(const struct far_offer *offer);

stn_ops_send far_send, far_offer;

/*
 * far_send_control: sends node @to a segment without data about an operation.
 */
void far_send_control(struct far *far, uint32_t to, enum stn_segment_type type,
		      uint8_t flags, uint32_t operation);

/*
 * far_flush: writes what the socket takes; returns how many segments were
 * written completely.
 */
unsigned far_flush(struct far *far, struct far_connection *connection);

/* far_offer_end: the receiver @from reports the end of an operation. */
void far_offer_end(struct far *far, uint32_t from, uint32_t operation,
		   enum stn_err err);

/*
 * far_end_sends: ends the sends and offers on @connection to @rank, or FAR_ALL.
 */
void far_end_sends(struct far *far, struct far_connection *connection,
		   uint32_t rank, enum stn_err err);

/* far_idle: is nothing queued, being written or offered? */
bool far_idle(const struct far_connection *connection);

#endif
