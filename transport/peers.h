/*
 * peers.h: failure detection: which peers of an endpoint are alive. It stands
 * between the callers of transport.h and a backend. A backend calls only
 * stn_peers_lost.
 *
 * The kernel watches the process of a peer on this host, and reports its end at
 * once. Any other peer is pinged, eight times or more in the time of silence
 * after which it counts as dead, by messages of the same transport,
 * - from when a message was sent to it until it has answered a later ping,
 * - while a large payload is under way to it or from it,
 * - while another peer on its host is suspect, and
 * - if it is this node's successor, the next living node by rank.
 * So no operation waits for a dead peer for ever, and at least one node notices
 * a host that vanishes. A large run does not send pings between all pairs of
 * nodes. A node with a reserved rank pings no peer before it has joined.
 *
 * As transport.h says, the caller serialises all calls.
 */
#ifndef STN_TRANSPORT_PEERS_H
#define STN_TRANSPORT_PEERS_H

#include "transport/identity.h"
#include "transport/ops.h"

/*
 * The kind of heartbeats. A close doesn't wait until heartbeats have left:
 * the peer may have closed before, and doesn't need them.
 */
#define STN_PEERS_HEARTBEAT (STN_KINDS + 1)

/* How the death of a silent peer is known; the duration follows. */
#define STN_PEERS_SILENT "it has not answered for "

/* This node's memory is full, or limited. The peer may be alive. */
#define STN_PEERS_NO_MEMORY "there is no shared memory for messages to it"

/*
 * stn_peers_create: for an endpoint that is about to be opened. Returns NULL if
 * there is no memory. stn_peers_destroy: takes NULL.
 */
struct stn_peers *stn_peers_create(const struct stn_opening *opening);
void stn_peers_destroy(struct stn_peers *peers);

/*
 * stn_peers_opening: the opening for the backend. It passes arriving messages
 * to @peers, which passes them to the caller's handler. stn_peers_attach: the
 * backend has been opened, as @transport.
 */
struct stn_opening stn_peers_opening(struct stn_peers *peers);
void stn_peers_attach(struct stn_peers *peers, struct stn_transport *transport);

/*
 * stn_peers_check: can node @rank be connected? STN_INVALID if there is no
 * node of that rank, STN_LOST if it is dead.
 */
STN_CHECKED enum stn_err stn_peers_check(const struct stn_peers *peers,
					 uint32_t rank, struct stn_why *why);

/*
 * stn_peers_connect: the backend has connected node @rank, the process with
 * this identity. Starts to watch the process if it is on this host.
 */
void stn_peers_connect(struct stn_peers *peers, uint32_t rank,
		       const unsigned char identity[STN_IDENTITY_BYTES]);

/* stn_peers_connected: has stn_peers_connect been called for @rank? */
bool stn_peers_connected(const struct stn_peers *peers, uint32_t rank);

/* stn_peers_same_host: is node @rank connected, and on this host? */
bool stn_peers_same_host(const struct stn_peers *peers, uint32_t rank);

/*
 * stn_peers_ended: has the process of node @rank ended, so that its number may
 * already be another process's? False if the kernel does not watch it, or up to
 * 10 ms after its end: the kernel gives out numbers in turn, 32768 or more, so
 * that none is used again so soon.
 */
bool stn_peers_ended(struct stn_peers *peers, uint32_t rank);

/* stn_peers_joined: like stn_transport_joined. */
void stn_peers_joined(struct stn_peers *peers);

/* stn_peers_alive: false if node @rank is known to be dead. */
bool stn_peers_alive(const struct stn_peers *peers, uint32_t rank);

/*
 * stn_peers_sending: a message is about to be sent to node @rank. Returns false
 * if the node is dead.
 */
bool stn_peers_sending(struct stn_peers *peers, uint32_t rank);

/*
 * stn_peers_track: an operation that completes with *done_p and *arg_p begins
 * to wait for node @rank. Replaces *done_p and *arg_p by those that the backend
 * must be given, so that the completion is noticed. Allocates.
 */
void stn_peers_track(struct stn_peers *peers, uint32_t rank, stn_done **done_p,
		     void **arg_p);

/*
 * stn_peers_lost: the backend has noticed that node @rank is dead. At the end
 * of the current or next stn_peers_progress, ops->peer_del is called and the
 * peer event is reported, with the text @reason, which must stay valid. May be
 * called inside any callback. Has no effect while the endpoint is being opened.
 */
void stn_peers_lost(struct stn_transport *transport, uint32_t rank,
		    const char *reason);

/* stn_peers_del: like stn_transport_peer_del. */
void stn_peers_del(struct stn_peers *peers, uint32_t rank);

/*
 * stn_peers_settle: pings each peer to which a message was sent since its last
 * ping. True if no ping is unanswered: then all sent messages have arrived.
 */
bool stn_peers_settle(struct stn_peers *peers);

/*
 * stn_peers_progress: calls the backend's progress, checks the peers if a check
 * is due, and deletes lost peers. Before it deletes a peer whose process has
 * ended, it handles the messages that the peer had sent: it calls the backend's
 * progress until that finds nothing to do, but not without limit.
 * stn_peers_look: like stn_transport_look. stn_peers_is_due: must progress be
 * called, because a check was asked for?
 * stn_peers_arm: like stn_transport_arm; @sleep_ns is the result of the
 * backend's arm. stn_peers_waits: must progress be called, because a peer was
 * found lost outside of it?
 */
unsigned stn_peers_progress(struct stn_peers *peers);
void stn_peers_look(struct stn_peers *peers);
bool stn_peers_is_due(const struct stn_peers *peers);
uint64_t stn_peers_arm(struct stn_peers *peers, uint64_t sleep_ns);
bool stn_peers_waits(const struct stn_peers *peers);

#endif
