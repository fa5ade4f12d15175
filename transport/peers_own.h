/*
 * peers_own.h: what peers.c, who is alive and what follows of that, and
 * peers_watch.c, how one knows, have in common.
 */
#ifndef STN_TRANSPORT_PEERS_OWN_H
#define STN_TRANSPORT_PEERS_OWN_H

#include "transport/peers.h"

#define PEERS_KIND_SIGN (STN_KINDS + 1)
#define PEERS_ENDED "its process has ended"

struct peer {
	unsigned char identity[STN_IDENTITY_BYTES];
	int process;	 /* a pidfd, or -1 */
	uint32_t heard;	 /* the tick; counts only while it is pinged */
	uint32_t pings;	 /* unanswered */
	uint32_t follow; /* how many offers to it and pulls from it there are */
	const char *how; /* it was found dead, and is to be buried */
	bool doubtful;	 /* one on its host is suspect */
	bool sent;	 /* something, since the last ping */
	bool met;	 /* it can be sent to */
	bool known;	 /* it can be asked: it is in another process */
	bool owed;	 /* it asked before it was known */
	enum stn_peer_state state;
};

struct stn_peers {
	struct stn_transport *transport;
	struct stn_opening opening; /* the caller's */
	unsigned char identity[STN_IDENTITY_BYTES];
	uint64_t tick_ns, next_tick_ns;
	uint32_t tick;
	uint32_t patience;		  /* in ticks; 0: endless */
	uint32_t watched, suspects, lost; /* how many are */
	uint32_t steps; /* calls, and what they did, since the last look */
	bool due;	/* look at the clock in the next progress */
	bool inside;	/* a call that runs handlers, ends and news */
	struct peer peers[];
};

/* peers_tell: a peer's new state, also to the caller. */
void peers_tell(struct stn_peers *peers, uint32_t rank,
		enum stn_peer_state state, const char *how);

/* peers_set_patience: after which silence a peer is dead; 0: never. */
void peers_set_patience(struct stn_peers *peers, uint64_t silence_ns);

/* peers_take_sign: a message of PEERS_KIND_SIGN has arrived. */
void peers_take_sign(struct stn_peers *peers,
		     const struct stn_message *message);

/* peers_answer: a sign of life for one who asked before it could be sent to. */
void peers_answer(struct stn_peers *peers, uint32_t rank);

/* peers_look: looks after the peers, if it is time. */
void peers_look(struct stn_peers *peers);

#endif
