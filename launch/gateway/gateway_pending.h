/*
 * gateway_pending.h: pending connections: connections whose other end has not
 * yet proved what it is. Their number is bounded: when too many come from
 * outside, the gateway closes one of those from the host with the most. Each
 * has a deadline, and gets a buffer only once it has proved itself.
 *
 * Of those that two gateways have with each other, one becomes their trunk
 * (gateway_trunk.c).
 */
#ifndef STN_LAUNCH_GATEWAY_GATEWAY_PENDING_H
#define STN_LAUNCH_GATEWAY_GATEWAY_PENDING_H

#include <sys/queue.h>

#include "launch/gateway/gateway_loop.h"
#include "launch/gateway/host_port.h"
#include "launch/gateway/switch.h"
#include "launch/gateway/tls.h"
#include "transport/far/handshake.h"

struct cluster;
struct gateway;

enum pending_state {
	PENDING_CONNECTS, /* our connect() has not succeeded yet */
	PENDING_TLS,	  /* the TLS handshake goes on */
	PENDING_HELLO,	  /* proved by TLS; its HELLO is to come */
	PENDING_CHOICE,	  /* HELLO has come; may become the trunk */
	PENDING_REFUSED,  /* its cluster can't join, and was told so */
	PENDING_HANDSHAKE /* from a node, whose handshake is to come */
};

struct pending {
	struct watch watch; /* first */
	LIST_ENTRY(pending) link;
	enum pending_state state;
	bool outgoing; /* this gateway has opened it */
	bool expected; /* from an address in a gateway's entry */
	int fd;
	struct stn_host_port address; /* of the other end */
	uint64_t deadline_ns;
	char cluster[STN_NAME_BYTES]; /* that was called, or proved; or "" */
	struct stn_session *session;
	struct stn_stream stream; /* once proved */
	unsigned char handshake[STN_HANDSHAKE_BYTES];
	size_t got; /* bytes of the handshake */
};

/* What the other parts of the gateway do with a pending connection. */
struct pending_calls {
	/* TLS has proved the other gateway; @pending has a stream now. */
	void (*proved)(struct gateway *gateway, struct pending *pending);
	/* The stream of a proved connection is readable or writable. */
	void (*ready)(struct gateway *gateway, struct pending *pending);
	/* A node's handshake has come, with the right token. */
	void (*handshake)(struct gateway *gateway, struct pending *pending,
			  const struct stn_handshake *handshake);
	/*
	 * A gateway has connected before all clusters are known here: asks the
	 * meeting point about them now.
	 */
	void (*look)(struct gateway *gateway);
};

/*
 * All pending connections, the newest first. A closed one leaves the list, but
 * stays in memory until all events have been handled, so a loop over the list
 * may close connections.
 */
struct pending_list {
	const struct pending_calls *calls;
	LIST_HEAD(, pending) all;
};

/* An established connection that carries segments: a node's, or a trunk. */
struct connection {
	struct watch watch; /* first */
	struct stn_port port;
};

/*
 * gateway_admit: makes the accepted socket @fd a pending connection, or closes
 * it.
 * @outside  accepted where other gateways connect, not nodes
 */
void gateway_admit(struct gateway *gateway, int fd,
		   const struct stn_host_port *from, bool outside);

/*
 * gateway_connect: begins to connect to the gateway of @cluster. NULL if that
 * has failed at once; the cluster's last_failure says why then.
 */
struct pending *gateway_connect(struct gateway *gateway,
				struct cluster *cluster,
				const struct stn_host_port *to);

/*
 * gateway_close_pending: closes the connection.
 * @why  logged as a refusal, or noted as the reason why a connection attempt
 *     has failed; NULL: neither
 */
void gateway_close_pending(struct gateway *gateway, struct pending *pending,
			   const char *why);

/*
 * gateway_take_stream: frees @pending; its socket and its stream move to
 * @stream_p. False if there is no memory: @pending stays.
 */
bool gateway_take_stream(struct gateway *gateway, struct pending *pending,
			 struct stn_stream *stream_p);

/*
 * gateway_establish: frees @pending; its socket and its stream move to a new
 * connection with port @as, which the caller owns. NULL if there is no memory,
 * which fails the run.
 */
struct connection *gateway_establish(struct gateway *gateway,
				     struct pending *pending,
				     struct stn_port as);

/*
 * gateway_drop_connection: closes a connection whose port the caller has
 * already removed from the switch.
 */
void gateway_drop_connection(struct gateway *gateway,
			     struct connection *connection);

/* gateway_expire_pending: closes those whose deadline has passed. */
void gateway_expire_pending(struct gateway *gateway, uint64_t now);

/* gateway_send_hello: sends HELLO on a connection that TLS has proved. */
void gateway_send_hello(struct gateway *gateway, struct pending *pending);

/*
 * gateway_read_pending: reads what has come on a proved connection, which then
 * may become the trunk, or be closed.
 */
void gateway_read_pending(struct gateway *gateway, struct pending *pending);

/* gateway_begin_if_connected: begins the run if all trunks are established. */
void gateway_begin_if_connected(struct gateway *gateway);

/* The switch's owner is the gateway. */
extern const struct stn_switch_calls gateway_switch_calls;

#endif
