/*
 * peers.h: who among the peers of an endpoint is alive. Between the callers of
 * transport.h and any backend; backends call stn_peers_lost, nothing else.
 *
 * A peer on this host is watched by its process: the kernel says at once when
 * that ends. Another is asked for signs of life (pings, by the transport
 * itself) from when something was sent to it until it has answered a later
 * ping; while a large payload is under way; and while another one on its host
 * is suspect. The next node in order of rank that lives is asked in any case.
 * So nothing is waited for in vain, and somebody always notices a host that
 * vanishes, while a large run doesn't drown in pings.
 *
 * As transport.h says, the caller serialises all calls.
 */
#ifndef STN_TRANSPORT_PEERS_H
#define STN_TRANSPORT_PEERS_H

#include "transport/identity.h"
#include "transport/ops.h"

/* stn_peers_create: for an endpoint that is being opened. NULL: no memory. */
struct stn_peers *stn_peers_create(const struct stn_opening *opening);
void stn_peers_destroy(struct stn_peers *peers);

/*
 * stn_peers_opening: how the backend must be opened: what arrives goes to
 * the caller's handler by way of @peers. stn_peers_attach: it has been.
 */
struct stn_opening stn_peers_opening(struct stn_peers *peers);
void stn_peers_attach(struct stn_peers *peers, struct stn_transport *transport);

/* stn_peers_admit: is @rank one that can be met? */
STN_CHECKED enum stn_err stn_peers_admit(const struct stn_peers *peers,
					 uint32_t rank, struct stn_why *why);

/* stn_peers_meet: node @rank can be sent to, and is the process it says. */
void stn_peers_meet(struct stn_peers *peers, uint32_t rank,
		    const unsigned char identity[STN_IDENTITY_BYTES]);

/* stn_peers_met: has stn_peers_meet been called for @rank? */
bool stn_peers_met(const struct stn_peers *peers, uint32_t rank);

/* stn_peers_alive: it isn't dead, as far as one knows. */
bool stn_peers_alive(const struct stn_peers *peers, uint32_t rank);

/* stn_peers_sending: something is sent to @rank. False: it is dead. */
bool stn_peers_sending(struct stn_peers *peers, uint32_t rank);

/*
 * stn_peers_follow: the operation that will end with *done_p and *arg_p, both
 * of which are replaced, waits for node @rank.
 */
void stn_peers_follow(struct stn_peers *peers, uint32_t rank, stn_done **done_p,
		      void **arg_p);

/*
 * stn_peers_lost: the backend has noticed that a peer is dead: it will be
 * told to forget it (ops->peer_del). Any time.
 */
void stn_peers_lost(struct stn_transport *transport, uint32_t rank,
		    const char *how);

/* stn_peers_bury: as stn_transport_peer_del. */
void stn_peers_bury(struct stn_peers *peers, uint32_t rank);

/*
 * stn_peers_settle: asks all that were sent to for a sign of life, if that
 * hasn't been done. True if all of them have answered: what was sent has come.
 */
bool stn_peers_settle(struct stn_peers *peers);

/*
 * stn_peers_progress: the backend's, and then looks after the peers if it is
 * time. stn_peers_arm: the same as stn_transport_arm, given what the
 * backend's has returned.
 */
unsigned stn_peers_progress(struct stn_peers *peers);
uint64_t stn_peers_arm(struct stn_peers *peers, uint64_t sleep_ns);

#endif
