/*
 * ops.h: the contract of a backend, a constant table of functions.
 *
 * transport.h says what each call must do; this header adds what only a backend
 * must know. A backend's endpoint begins with a struct stn_transport. Members
 * of the table that are marked optional may be NULL;
 * stn_transport_open_backend checks the others. A transport that wraps one
 * other may also leave out address, connect, pull, refuse and now. A call that
 * it leaves out goes to the inner transport.
 */
#ifndef STN_TRANSPORT_OPS_H
#define STN_TRANSPORT_OPS_H

#include "transport/clock.h"
#include "transport/identity.h"
#include "transport/transport.h"

struct stn_transport {
	const struct stn_transport_ops *ops;
	struct stn_opening opening;
	uint32_t nodes;		       /* of the opening's topology */
	struct stn_limits limits;      /* set by ops->open */
	int ends;		       /* see stn_transport_ends */
	struct stn_traffic traffic;    /* counted by the backend */
	struct stn_transport *inner;   /* the first one wrapped, or NULL */
	struct stn_transport *sibling; /* next in the same wrapper, or NULL */
	struct stn_transport *outer;   /* wraps this one; or NULL */
	struct stn_peers *peers;       /* of a backend; NULL: see inner */
	unsigned char identity[STN_IDENTITY_BYTES]; /* valid with peers */
};

/* The peers that a transport is used for where several are open. */
enum stn_reach {
	STN_REACH_CLUSTER, /* peers of its own cluster */
	STN_REACH_HOST,	   /* peers of its own cluster and host */
	STN_REACH_ALL
};

/*
 * An arrived message. A backend appends the data that its pull and refuse need.
 */
struct stn_arrival {
	struct stn_message message; /* passed to the handler */
	const void *payload;	    /* NULL if the payload was offered */
};

/* The types of functions in the table that backends declare in headers. */
typedef size_t stn_ops_address(struct stn_transport *transport,
			       unsigned char address[STN_ADDRESS_BYTES]);
typedef enum stn_err stn_ops_connect(struct stn_transport *transport,
				     uint32_t rank,
				     const unsigned char *address, size_t bytes,
				     struct stn_why *why);
typedef void stn_ops_send(struct stn_transport *transport, uint32_t to,
			  uint8_t kind, const void *header, size_t header_bytes,
			  const struct iovec *pieces, size_t count,
			  stn_done *done, void *arg);
typedef void stn_ops_pull(struct stn_transport *transport,
			  const struct stn_arrival *arrival,
			  const struct iovec *pieces, size_t count,
			  stn_done *done, void *arg);
typedef void stn_ops_refuse(struct stn_transport *transport,
			    const struct stn_arrival *arrival);

struct stn_transport_ops {
	const char *name;

	/* One line for people: what the backend runs on. */
	const char *help;

	/*
	 * The size of an endpoint, and how much longer it is for each node and
	 * for each cluster.
	 */
	size_t bytes, node_bytes, cluster_bytes;

	/*
	 * Opens an endpoint that stn_transport_create has made, and sets its
	 * limits. The handler may be called only from progress. If it fails, it
	 * releases everything but the endpoint's own memory, as close does.
	 */
	enum stn_err (*open)(struct stn_transport *transport,
			     struct stn_why *why);

	void (*close)(struct stn_transport *transport, uint64_t patience_ns);

	/* The length of an address; 0: connect checks the length. */
	size_t address_bytes;

	stn_ops_address *address;
	stn_ops_connect *connect;

	/*
	 * Sends a message of at most limits.eager_bytes. If the fabric can't
	 * accept the message now, the backend queues it, in order; without
	 * @done it then copies the header, with @done the header stays where
	 * it is. @done must be called exactly once, possibly before this
	 * function returns.
	 */
	stn_ops_send *send;

	/*
	 * Like send, for any size: only the header is sent. @done is called
	 * when the receiver has pulled or refused the payload.
	 */
	stn_ops_send *offer;

	/*
	 * Pulls an offered payload from a connected node. Called inside the
	 * handler.
	 */
	stn_ops_pull *pull;

	/*
	 * Tells the sender that its offer won't be pulled. A sender that is
	 * dead or was never connected is told if that is possible; the backend
	 * must not keep anything for it.
	 */
	stn_ops_refuse *refuse;

	/*
	 * A peer is dead: completes every operation towards it and every pull
	 * from it with STN_LOST, now or as soon as the fabric releases the
	 * memory, and frees what was kept for the peer. Called once for a
	 * peer, never inside a handler or a completion callback. A backend
	 * that notices a death itself calls stn_peers_lost
	 * (transport/peers.h); then this function is called at the end of
	 * stn_transport_progress.
	 */
	void (*peer_del)(struct stn_transport *transport, uint32_t rank);

	unsigned (*progress)(struct stn_transport *transport);

	/* Optional: stn_transport_has_news, if the transport can tell. */
	bool (*has_news)(const struct stn_transport *transport);

	/* Like stn_transport_arm. */
	uint64_t (*arm)(struct stn_transport *transport);

	/* Optional: like stn_transport_disarm. */
	void (*disarm)(struct stn_transport *transport);

	/* Optional: like stn_transport_waits. */
	bool (*waits)(const struct stn_transport *transport);

	/* Like stn_transport_now; most backends have stn_machine_now here. */
	uint64_t (*now)(const struct stn_transport *transport);

	/*
	 * Optional, for a transport that wraps several: the one that is used
	 * for node @rank. All calls that concern this node then go to it
	 * directly. Returns NULL if that one is closed.
	 */
	struct stn_transport *(*route)(struct stn_transport *transport,
				       uint32_t rank);

	enum stn_reach reach;

	/*
	 * True if an endpoint can't close safely while it may still have to
	 * answer a peer that connects to it: stn_transport_settle must return
	 * true first.
	 */
	bool settles;

	/*
	 * Optional: does the transport hold messages back? They have not
	 * arrived: stn_transport_settle returns false.
	 */
	bool (*holds)(const struct stn_transport *transport);

	/*
	 * Optional: can @nodes nodes use the backend on this machine, with
	 * this provider? Loads the backend's library, opens nothing. NULL: the
	 * backend can always be used.
	 */
	enum stn_err (*present)(const char *provider, uint32_t nodes,
				struct stn_why *why);

	/* Optional: removes from this host what a dead endpoint left there. */
	void (*sweep)(const unsigned char *address, size_t bytes);

	/*
	 * Optional: writes lines on what the backend can use on this machine;
	 * calls stn_transport_describe (transport/backends.h) for each
	 * provider.
	 */
	void (*list)(FILE *out);
};

/*
 * stn_arrival_refuse: refuses the payload of @message, if it was offered. The
 * same as stn_transport_refuse, for files that transport.c depends on.
 */
static inline void
stn_arrival_refuse(struct stn_transport *transport,
		   const struct stn_message *message)
{
	const struct stn_arrival *arrival = (const struct stn_arrival *)message;

	if (arrival->payload || !message->payload_bytes)
		return;
	while (!transport->ops->refuse)
		transport = transport->inner;
	transport->ops->refuse(transport, arrival);
}

/*
 * stn_transport_create: memory for an endpoint, zeros but for ops, opening and
 * nodes. stn_transport_close frees it. Returns NULL if memory runs out.
 */
struct stn_transport *stn_transport_create(const struct stn_transport_ops *ops,
					   const struct stn_opening *opening);

/*
 * stn_transport_open_backend: opens an endpoint of a backend, with failure
 * detection (transport/peers.h) between the backend and the caller.
 */
STN_CHECKED enum stn_err stn_transport_open_backend(
	const struct stn_transport_ops *ops, const struct stn_opening *opening,
	struct stn_transport **transport_p, struct stn_why *why);

#endif
