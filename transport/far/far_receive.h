/* far_receive.h: what comes from the gateway. */
#ifndef STN_TRANSPORT_FAR_FAR_RECEIVE_H
#define STN_TRANSPORT_FAR_FAR_RECEIVE_H

#include "transport/far/far.h"

/*
 * far_receive: reads and parses what has come on a connection whose socket is
 * readable. Returns how many segments and pulls that completed.
 */
unsigned far_receive(struct far *far, struct far_connection *connection);
void far_pull(struct stn_transport *transport,
	      const struct stn_arrival *arrival, const struct iovec *pieces,
	      size_t count, stn_done *done, void *arg);
void far_refuse(struct stn_transport *transport,
		const struct stn_arrival *arrival);

/* far_end_pulls: ends the pulls from node @rank, or FAR_ALL, on @connection. */
void far_end_pulls(struct far *far, struct far_connection *connection,
		   uint32_t rank, enum stn_err err);

#endif
