/*
 * transport.h: messages between the nodes of a run. The layers above see the
 * fabrics through this header only; ops.h is the contract that the backends
 * implement.
 *
 * An open transport is the endpoint of one node. The caller serialises all
 * calls on one endpoint. Handlers, completion callbacks and peer events run
 * inside stn_transport_progress; a completion callback may also run inside the
 * call that starts its operation. Callbacks must not block, and may send.
 * Messages from one node to another arrive in the order in which they were
 * sent.
 */
#ifndef STN_TRANSPORT_TRANSPORT_H
#define STN_TRANSPORT_TRANSPORT_H

#include <stdio.h>
#include <sys/uio.h>

#include "transport/error.h"
#include "transport/topology.h"

#define STN_ADDRESS_BYTES 640 /* the longest address of an endpoint */
#define STN_HEADER_BYTES 128  /* the longest header of a message */
#define STN_PAYLOAD_BYTES (UINT64_C(1) << 46) /* the longest payload */
#define STN_KINDS 254	      /* kinds of messages are 1 .. STN_KINDS */
/* Special values of stn_transport_arm. */
#define STN_NOT_NOW 0
#define STN_FOREVER UINT64_MAX

struct stn_transport;

/* An active message, as its handler sees it; valid until the handler ends. */
struct stn_message {
	uint32_t from; /* the sender's rank */
	uint8_t kind;  /* given by the sender; 0: the message was malformed */
	const void *header;
	size_t header_bytes;  /* <= STN_HEADER_BYTES */
	size_t payload_bytes; /* stn_transport_take gets the payload */
};

typedef void stn_handler(void *arg, const struct stn_message *message);

/*
 * The completion of an operation. @err is STN_OK, STN_REFUSED if the receiver
 * refused the payload, STN_LOST, STN_IO, STN_NO_MEMORY or STN_CANCELLED. Called
 * exactly once.
 */
typedef void stn_done(void *arg, enum stn_err err);

/*
 * A peer becomes suspect after it has been silent for half of the time after
 * which it counts as dead. A suspect peer can be up again; a dead peer stays
 * dead.
 */
enum stn_peer_state { STN_PEER_UP, STN_PEER_SUSPECT, STN_PEER_DEAD };

/*
 * A peer event: the state of node @rank has changed. @reason is a text for
 * people. Before a death is reported, all operations towards the peer have
 * completed, except those whose memory the fabric still holds: these complete
 * as soon as the fabric releases it. No later message from the peer is
 * delivered. Called inside stn_transport_progress; may send.
 */
typedef void stn_peer_event(void *arg, uint32_t rank, enum stn_peer_state state,
			    const char *reason);

/*
 * How to open an endpoint. The texts and the topology must outlive the
 * endpoint.
 */
struct stn_opening {
	const struct stn_topology *topology;
	uint32_t rank;
	const char *provider; /* of the fabric; "auto": the best one found */
	const char *device;   /* mlx5_0, mlx5_0:1; NULL, "auto": the first */
	const char *address;  /* to listen on, if the fabric has addresses */
	uint16_t port;	      /* to listen on; 0: any free port */
	uint64_t silence_ns;  /* a peer silent for longer is dead; 0: never */
	stn_handler *handler;
	stn_peer_event *peer_event; /* may be NULL */
	void *arg; /* the first argument of handler and peer_event */
};

/* What an endpoint can do; constant once it is open. */
struct stn_limits {
	size_t inline_bytes; /* header + payload copied by the send itself */
	size_t eager_bytes;  /* a larger message is offered and pulled */
	size_t pieces;	     /* of a payload, gathered without a copy */
	int fd;		     /* to sleep on; -1: the endpoint must be polled */
	bool quiet;  /* until it is armed, fd does not become readable */
	bool costly; /* each progress call makes a system call */
	/*
	 * Messages to some nodes go through a gateway, which may need the
	 * processor of a thread that polls in vain. That thread should yield.
	 */
	bool relayed;
	/*
	 * True: a send completes when the message has arrived. False: it
	 * completes when the message has left.
	 */
	bool arrives;
};

/* What an endpoint has done so far. */
struct stn_traffic {
	/*
	 * Bytes of headers and payloads that this layer has copied, at either
	 * end. Copies inside the fabric's library are not counted. So the
	 * payload of an eager message counts once, at its receiver, where it is
	 * copied out of the fabric's buffer; over ucx, a payload that UCX moves
	 * by its rendezvous counts nothing, although UCX copies it twice over
	 * TCP.
	 */
	uint64_t bytes_copied;
};

/*
 * stn_transport_open: opens an endpoint of the transport called @name: "loop",
 * "shm", "ofi", "ucx", "verbs" or "far". A name such as "shm+ofi" opens several
 * transports and uses for each peer the first one that reaches the peer
 * (transport/routes.h). Links between clusters are not emulated here:
 * stn_open_transport (launch/open.h) does that. On failure @why says what to
 * do. The call may block for a second; the only other call that blocks is
 * stn_transport_close.
 */
STN_CHECKED enum stn_err stn_transport_open(const char *name,
					    const struct stn_opening *opening,
					    struct stn_transport **transport_p,
					    struct stn_why *why);

/*
 * stn_transport_close: waits until all sent messages have left, @patience_ns at
 * most, completes the remaining operations with STN_CANCELLED, and frees the
 * endpoint. Peers should have stopped sending. Takes NULL.
 */
void stn_transport_close(struct stn_transport *transport, uint64_t patience_ns);

/* stn_transport_address: copies this endpoint's address; returns its length. */
size_t stn_transport_address(struct stn_transport *transport,
			     unsigned char address[STN_ADDRESS_BYTES]);

/*
 * stn_transport_connect: gives the endpoint at @address the rank @rank, so that
 * messages can be sent to it. The connection is made lazily: only a later send
 * finds out whether the peer is alive. STN_MALFORMED or STN_INVALID: there is
 * no such rank, or the address is of another transport, provider or run;
 * STN_MISSING: this endpoint has no transport that reaches the node; STN_LOST:
 * the node is dead; STN_IO or STN_NO_MEMORY.
 */
STN_CHECKED enum stn_err stn_transport_connect(struct stn_transport *transport,
					       uint32_t rank,
					       const unsigned char *address,
					       size_t bytes,
					       struct stn_why *why);

/*
 * stn_transport_send: sends a message of kind 1 .. STN_KINDS to node @to. The
 * header and the pieces of the payload are sent from where they are, and must
 * stay unchanged until @done is called. The array @pieces itself may be reused
 * on return. Without @done there must be no payload; the header is copied if
 * necessary. A send to a dead node completes with STN_LOST. A caller that sends
 * without end must limit the number of operations under way by counting @done,
 * and call stn_transport_progress.
 */
void stn_transport_send(struct stn_transport *transport, uint32_t to,
			uint8_t kind, const void *header, size_t header_bytes,
			const struct iovec *pieces, size_t count,
			stn_done *done, void *arg);

/*
 * stn_transport_take: called inside a handler, at most once: copies or pulls
 * the message's payload into @pieces, whose sizes must add up to payload_bytes.
 * A small payload is complete on return, a large one when @done is called;
 * @done is called in both cases. A large payload can be pulled only from a
 * connected node; from another it is refused, and @done gets STN_LOST.
 */
void stn_transport_take(struct stn_transport *transport,
			const struct stn_message *message,
			const struct iovec *pieces, size_t count,
			stn_done *done, void *arg);

/*
 * stn_transport_is_here: called inside a handler: whether stn_transport_take
 * would complete at once.
 */
bool stn_transport_is_here(const struct stn_message *message);

/*
 * stn_transport_refuse: called instead of stn_transport_take, at most once. If
 * the payload is large, the sender's operation completes with STN_REFUSED. A
 * handler that doesn't take a payload that isn't here must refuse it, because
 * otherwise the sender's operation stays under way. Other payloads may be left.
 */
void stn_transport_refuse(struct stn_transport *transport,
			  const struct stn_message *message);

/*
 * stn_transport_peer_del: declares a node dead: completes all operations
 * towards the node with STN_LOST, and delivers no later message from it. No
 * peer event follows, because the caller knows. Must not be called inside a
 * handler, a completion callback or a peer event. A node that replaces the dead
 * one needs another rank.
 */
void stn_transport_peer_del(struct stn_transport *transport, uint32_t rank);

/* stn_transport_limits, _traffic: what the endpoint can do, and has done. */
const struct stn_limits *
stn_transport_limits(const struct stn_transport *transport);
struct stn_traffic stn_transport_traffic(const struct stn_transport *transport);

/*
 * stn_transport_progress: handles the messages that have arrived and the
 * operations that have completed; never blocks. Returns their number.
 */
unsigned stn_transport_progress(struct stn_transport *transport);

/*
 * stn_transport_same_host: is node @rank, which is connected, on this host?
 * False if that is not known.
 */
bool stn_transport_same_host(struct stn_transport *transport, uint32_t rank);

/*
 * stn_transport_settle: have all sent messages arrived? An endpoint that can
 * close safely before that returns true at once. After its last send every
 * node calls this after each progress, until it returns true. No node may close
 * before all nodes have got true.
 */
bool stn_transport_settle(struct stn_transport *transport);

/*
 * stn_transport_has_news: would stn_transport_progress find something, apart
 * from timed work? Much cheaper than a progress that finds nothing. A hint.
 * @unknown  the answer if the transport can't tell
 * Any thread, also while another one uses the endpoint.
 */
bool stn_transport_has_news(const struct stn_transport *transport,
			    bool unknown);

/*
 * stn_transport_arm: prepares for sleeping. Returns for how many nanoseconds
 * the caller may sleep before it must call stn_transport_progress again. If
 * there is a descriptor (stn_transport_fd), the caller sleeps on it.
 * STN_NOT_NOW means that progress is due at once, STN_FOREVER that only the
 * descriptor matters.
 */
uint64_t stn_transport_arm(struct stn_transport *transport);

/*
 * stn_transport_disarm: a thread polls, so a thread that sleeps on the
 * descriptor need not be woken before the next stn_transport_arm. This is a
 * hint: the sleeping thread may be woken nevertheless, once or twice. It then
 * calls this again, which makes a quiet descriptor (limits.quiet) unreadable.
 */
void stn_transport_disarm(struct stn_transport *transport);

/*
 * stn_transport_waits: is an operation queued that may become possible without
 * an event on the descriptor, or has a call outside of progress found a peer
 * lost? Then a thread that armed earlier and sleeps must be woken.
 */
bool stn_transport_waits(const struct stn_transport *transport);

/* stn_transport_fd: a descriptor, readable when progress is due; or -1. */
int stn_transport_fd(const struct stn_transport *transport);

/*
 * stn_transport_ends: a descriptor that becomes readable when the process of a
 * peer on this host ends, until stn_transport_progress has found that; or -1.
 * It may be -1 until a peer is connected.
 * stn_transport_look: tells the endpoint that this descriptor was readable: the
 * next progress then looks which process has ended. A caller that doesn't sleep
 * on this descriptor learns of the end a little later.
 */
int stn_transport_ends(const struct stn_transport *transport);
void stn_transport_look(struct stn_transport *transport);

/*
 * stn_transport_joined: this node, whose rank is reserved, has joined the run.
 * Until then a peer that does not answer is not reported as suspect or dead: it
 * may not have connected this node yet. The end of a process is reported.
 */
void stn_transport_joined(struct stn_transport *transport);

/* stn_transport_now: the clock of this network, in nanoseconds. Any thread. */
uint64_t stn_transport_now(const struct stn_transport *transport);

/*
 * stn_transport_sweep: removes from this host everything that an endpoint of
 * transport @name left there when its process died.
 */
void stn_transport_sweep(const char *name, const unsigned char *address,
			 size_t bytes);

/* stn_transport_known: are all transports in this name built in? */
bool stn_transport_known(const char *name);

#endif
