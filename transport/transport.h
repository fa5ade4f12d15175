/*
 * transport.h: messages between the nodes of a run. All that steal/ sees of
 * the fabrics; ops.h is the contract behind it, which the backends implement.
 *
 * An open transport is one node's endpoint. Calls on one endpoint exclude each
 * other: the caller serialises them. Handlers and completions run inside
 * stn_transport_progress (or inside the call that completes at once), must not
 * block, and may send. Messages from one node to another arrive in the order
 * they were sent.
 */
#ifndef STN_TRANSPORT_TRANSPORT_H
#define STN_TRANSPORT_TRANSPORT_H

#include <stdio.h>
#include <sys/uio.h>

#include "transport/error.h"
#include "transport/topology.h"

#define STN_ADDRESS_BYTES 640 /* no endpoint's address is longer */
#define STN_HEADER_BYTES 128  /* no message's header is longer */
#define STN_KINDS 254	      /* kinds of messages are 1 .. STN_KINDS */
/* What stn_transport_arm may return. */
#define STN_NOT_NOW 0
#define STN_FOREVER UINT64_MAX

struct stn_transport;
struct stn_sim;

/* An active message, as its handler sees it; valid until the handler ends. */
struct stn_message {
	uint32_t from; /* rank */
	uint8_t kind;  /* what the sender named it; 0: it was malformed */
	const void *header;
	size_t header_bytes;  /* <= STN_HEADER_BYTES */
	size_t payload_bytes; /* to be had by stn_transport_take */
};

typedef void stn_handler(void *arg, const struct stn_message *message);

/*
 * The end of an operation: @err is STN_OK, STN_REFUSED if the receiver would
 * not have it, or STN_LOST, STN_IO, STN_CANCELLED. Called exactly once.
 */
typedef void stn_done(void *arg, enum stn_err err);

/*
 * A peer is suspect when it has kept silent for half the time after which it
 * is dead; it may become up again. It is dead for good.
 */
enum stn_peer_state { STN_PEER_UP, STN_PEER_SUSPECT, STN_PEER_DEAD };

/*
 * News of a peer; @how tells people how one knows. When it is dead, all
 * operations towards it have ended, but those whose memory the fabric still
 * holds, which end when it lets go; and nothing more is delivered from it.
 * Called inside stn_transport_progress; may send.
 */
typedef void stn_news(void *arg, uint32_t rank, enum stn_peer_state state,
		      const char *how);

/* How to open an endpoint. Texts and topology must outlive it. */
struct stn_opening {
	const struct stn_topology *topology;
	uint32_t rank;
	const char *provider; /* of the fabric; "auto": best found */
	const char *device;   /* mlx5_0, mlx5_0:1; NULL, "auto": the first */
	const char *address;  /* to listen on, where the fabric has such */
	uint16_t port;	      /* this node's; 0: any free one */
	uint64_t silence_ns;  /* after which a peer is dead; 0: never */
	struct stn_sim *sim;  /* of transport sim (transport/sim.h) */
	stn_handler *handler;
	stn_news *news; /* may be NULL */
	void *arg;	/* the first of both */
};

/* What an endpoint can do; constant after its opening. */
struct stn_limits {
	size_t inline_bytes; /* header + payload that one send carries off */
	size_t eager_bytes;  /* larger ones are offered, and pulled */
	size_t pieces;	     /* of a payload, gathered without a copy */
	int fd;		     /* to sleep on; -1: it must be polled */
	bool quiet;	     /* the descriptor, until it is armed */
	bool costly;	     /* each progress takes a system call */
	bool arrives; /* a send ends when it has; else when it has left */
};

/* What an endpoint has done so far. */
struct stn_traffic {
	/*
	 * Bytes of headers and payloads that the layer itself has copied, at
	 * either end. What the fabric's library copies isn't seen.
	 */
	uint64_t bytes_copied;
};

/*
 * stn_transport_open: opens an endpoint of the transport called @name: "loop",
 * "shm", "ofi", "ucx", "verbs", "sim"; or of several, "shm+ofi", which takes
 * the first of them that leads to a peer (transport/routes.c). If the
 * topology's clusters are joined by slow links, messages between clusters are
 * delayed accordingly. On failure
 * @why says what to do. May take a second; no other call blocks but
 * stn_transport_close.
 */
STN_CHECKED enum stn_err stn_transport_open(const char *name,
					    const struct stn_opening *opening,
					    struct stn_transport **transport_p,
					    struct stn_why *why);

/*
 * stn_transport_close: waits, @patience_ns at most, until what was sent has
 * left, completes the rest with STN_CANCELLED, and frees the endpoint. Takes
 * NULL. Peers should have stopped sending.
 */
void stn_transport_close(struct stn_transport *transport, uint64_t patience_ns);

/* stn_transport_address: copies this endpoint's address; returns its length. */
size_t stn_transport_address(struct stn_transport *transport,
			     unsigned char address[STN_ADDRESS_BYTES]);

/*
 * stn_transport_connect: names the endpoint at @address @rank, so that it can
 * be sent to. Lazy: a dead peer shows only when something is sent.
 */
STN_CHECKED enum stn_err stn_transport_connect(struct stn_transport *transport,
					       uint32_t rank,
					       const unsigned char *address,
					       size_t bytes,
					       struct stn_why *why);

/*
 * stn_transport_send: sends a message to node @to, of a kind from 1 to
 * STN_KINDS. Header and pieces of the payload are gathered from where they
 * lie, and must stay there, unchanged, until @done. Without @done there may be
 * no payload, and the header is copied if need be. The array @pieces itself is
 * the caller's again. A caller that sends without end must bound, by counting
 * @done, how much it has under way, and call stn_transport_progress.
 */
void stn_transport_send(struct stn_transport *transport, uint32_t to,
			uint8_t kind, const void *header, size_t header_bytes,
			const struct iovec *pieces, size_t count,
			stn_done *done, void *arg);

/*
 * stn_transport_take: inside a handler, once: puts the message's payload into
 * @pieces, whose sizes must add up to payload_bytes. A small one is there when
 * this returns, a large one when @done is called; @done is called either way.
 * Only from a node that was connected to can a large one be had.
 */
void stn_transport_take(struct stn_transport *transport,
			const struct stn_message *message,
			const struct iovec *pieces, size_t count,
			stn_done *done, void *arg);

/*
 * stn_transport_refuse: instead of stn_transport_take. If the payload was
 * large, the sender's operation ends with STN_REFUSED.
 */
void stn_transport_refuse(struct stn_transport *transport,
			  const struct stn_message *message);

/*
 * stn_transport_peer_del: declares a node dead: ends all operations towards it
 * with STN_LOST, and delivers nothing more from it. The news is the caller's
 * own, and not told. Not inside a handler, an end or news. Whoever comes in its
 * place needs another rank.
 */
void stn_transport_peer_del(struct stn_transport *transport, uint32_t rank);

/* stn_transport_limits, _traffic: what it can do, and has done. */
const struct stn_limits *
stn_transport_limits(const struct stn_transport *transport);
struct stn_traffic stn_transport_traffic(const struct stn_transport *transport);

/*
 * stn_transport_progress: runs what has arrived and completed; never blocks.
 * Returns how many things it did.
 */
unsigned stn_transport_progress(struct stn_transport *transport);

/*
 * stn_transport_settle: has everything that was sent arrived, as far as the
 * endpoint can't close safely before? All nodes ask after progress, until it is
 * true, having sent their last; only then may one of them close.
 */
bool stn_transport_settle(struct stn_transport *transport);

/*
 * stn_transport_arm: gets ready to sleep. Returns for how many nanoseconds the
 * caller may sleep, on the descriptor stn_transport_fd if there is one, before
 * it must call stn_transport_progress again; STN_NOT_NOW if it must at once,
 * STN_FOREVER if only the descriptor matters.
 */
uint64_t stn_transport_arm(struct stn_transport *transport);

/*
 * stn_transport_disarm: from now on somebody polls; who sleeps on the
 * descriptor needn't be woken before the next stn_transport_arm. A hint: it
 * may be woken all the same.
 */
void stn_transport_disarm(struct stn_transport *transport);

/*
 * stn_transport_waits: is something queued that may become possible without
 * an event, so that a sleeper who armed before should be woken?
 */
bool stn_transport_waits(const struct stn_transport *transport);

/* stn_transport_fd: becomes readable when there is something to do; or -1. */
int stn_transport_fd(const struct stn_transport *transport);

/* stn_transport_now: the clock of this network, in nanoseconds. Any thread. */
uint64_t stn_transport_now(const struct stn_transport *transport);

/*
 * stn_transport_sweep: removes what an endpoint of transport @name, whose
 * process died, has left on this host.
 */
void stn_transport_sweep(const char *name, const unsigned char *address,
			 size_t bytes);

/* stn_transport_known: are all transports of this name built in? */
bool stn_transport_known(const char *name);

/* stn_transport_list: a few lines on each transport that was built. */
void stn_transport_list(FILE *out);

#endif
