/*
 * peers_private.h: shared by peers.c, which keeps the states of the peers and
 * deletes dead ones, and peers_watch.c, which finds out whether peers live. The
 * two files call each other: peers.c starts the checks and passes on the
 * heartbeats that arrive, and peers_watch.c reports which peers are suspect or
 * lost.
 */
#ifndef STN_TRANSPORT_PEERS_PRIVATE_H
#define STN_TRANSPORT_PEERS_PRIVATE_H

#include "transport/peers.h"

#define PEERS_STEPS_PER_LOOK 64	    /* steps between looks at the clock */
#define PEERS_ENDS_NS 20000000ull   /* between looks at ended processes */
#define PEERS_NUMBER_NS 10000000ull /* see stn_peers_ended */

struct peer {
	unsigned char identity[STN_IDENTITY_BYTES];
	int pidfd;	     /* of its process on this host, or -1 */
	uint64_t number_ns;  /* until then no other process has its number */
	uint64_t heard_ns;   /* clock_ns at its last message */
	uint32_t pings;	     /* number of unanswered pings */
	uint32_t pongs_owed; /* number of its pings before it was pingable */
	uint32_t operations; /* number of offers to it and pulls from it */
	const char *reason;  /* not NULL: it is lost and must be deleted */
	bool host_suspect;   /* a peer on its host is suspect */
	bool sent;	     /* a message was sent to it since the last ping */
	bool connected;	     /* messages can be sent to it */
	bool pingable;	     /* it is connected, and in another process */
	enum stn_peer_state state;
};

struct stn_peers {
	struct stn_transport *transport;
	struct stn_opening opening; /* as the caller gave it */
	unsigned char identity[STN_IDENTITY_BYTES];
	uint64_t silence_ns; /* a peer silent for so long is dead; 0: never */
	uint64_t tick_ns;    /* between two pings */
	uint64_t next_tick_ns;
	uint64_t next_ends_ns; /* when to look for ended processes */
	uint64_t next_look_ns; /* a tick, or the end of a peer's silence */
	uint64_t read_ns;      /* when the clock was read last */
	/* Like the clock, but it stands still while this process is stopped. */
	uint64_t clock_ns;
	bool slept;	 /* the clock was not read since a sleep */
	char silent[40]; /* how the death of a silent peer is known */
	int ends;	 /* an epoll of all pidfds; -1: there was none yet */
	uint32_t watched, suspects, lost; /* numbers of such peers */
	uint32_t steps;	   /* progress calls, and things done, since a look */
	bool joined;	   /* this node pings: all members can answer */
	bool due;	   /* the next progress looks at the clock */
	bool ended;	   /* a lost peer's last messages may be unhandled */
	bool in_callbacks; /* inside a call that runs callbacks */
	struct peer peers[];
};

/* peers_tell: sets a peer's state and reports it to the caller. */
void peers_tell(struct stn_peers *peers, uint32_t rank,
		enum stn_peer_state state, const char *reason);

/* peers_set_silence: a peer silent for @silence_ns is dead; 0: never. */
void peers_set_silence(struct stn_peers *peers, uint64_t silence_ns);

/*
 * peers_watch, peers_unwatch: begin and stop to wait for the end of the process
 * with the descriptor @pidfd, that of node @rank. peers_unwatch has no effect
 * on a peer that is not watched.
 */
void peers_watch(struct stn_peers *peers, uint32_t rank, int pidfd);
void peers_unwatch(struct stn_peers *peers, uint32_t rank);

/* peers_end: the process of node @rank has ended, so the node is lost. */
void peers_end(struct stn_peers *peers, uint32_t rank);

/* peers_read_clock: sets read_ns, and moves clock_ns on. Returns read_ns. */
uint64_t peers_read_clock(struct stn_peers *peers);

/* peers_take_heartbeat: handles a message of kind STN_PEERS_HEARTBEAT. */
void peers_take_heartbeat(struct stn_peers *peers,
			  const struct stn_message *message);

/* peers_send_pong: answers a ping of node @rank, which must be pingable. */
void peers_send_pong(struct stn_peers *peers, uint32_t rank);

/* peers_watches_any: is there a peer whose death can be noticed? */
static inline bool
peers_watches_any(const struct stn_peers *peers)
{
	return peers->watched || peers->silence_ns;
}

/*
 * peers_check_all: looks at the clock, and does what is due: finds processes
 * that have ended, checks all peers, sends pings. peers_check_due: must it be
 * called?
 */
void peers_check_all(struct stn_peers *peers);

static inline bool
peers_check_due(const struct stn_peers *peers)
{
	return (peers->due || peers->steps >= PEERS_STEPS_PER_LOOK) &&
	       peers_watches_any(peers);
}

#endif
