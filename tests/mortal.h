/*
 * mortal.h: what transports make of the death of real processes. Each node is
 * a process of its own, that does what it is ordered by the test, and tells
 * what it saw; so the test itself never opens an endpoint.
 */
#ifndef TESTS_MORTAL_H
#define TESTS_MORTAL_H

#include <sys/types.h>

#include "transport/transport.h"

#define MORTAL_NODES 4 /* at most */

/* mortality: all that can be tested of one transport; what main() returns. */
int mortality(const char *transport, const char *provider);

enum mortal_order {
	MORTAL_MEET,	/* all others, whose addresses follow */
	MORTAL_SEND,	/* @count messages of @bytes to @rank */
	MORTAL_STREAM,	/* keep @count of them under way, from now on */
	MORTAL_FREEZE,	/* do nothing, not even progress, until another order */
	MORTAL_NEWS,	/* report when there has been @count news of @state */
	MORTAL_HANDLED, /* report when @count came from @rank since MEET */
	MORTAL_ENDED,	/* report when @count to @rank have ended since MEET */
	MORTAL_QUIT	/* close, report, and exit */
};

struct mortal_address {
	size_t bytes;
	unsigned char address[STN_ADDRESS_BYTES];
};

struct mortal_command {
	enum mortal_order order;
	uint32_t rank;
	size_t bytes;
	unsigned count;
	enum stn_peer_state state;
	struct mortal_address addresses[MORTAL_NODES];
};

/* What a node says when it has opened its endpoint, or can't. */
struct mortal_hello {
	enum stn_err err;
	struct stn_why why;
	struct mortal_address address;
};

/* Broken promises, as bits. */
enum mortal_wrong {
	MORTAL_TWICE = 1,     /* an operation ended more than once */
	MORTAL_AFTERLIFE = 4, /* a message from the dead */
	MORTAL_GARBLED = 8,   /* a payload is not what was sent */
	MORTAL_REPEATED = 16, /* news of the dead */
	MORTAL_ACCEPTED = 32, /* a send to the dead ended otherwise, or later */
	MORTAL_UNEXPECTED = 64 /* an end with some other error, or a kind 0 */
};

/* What a node has seen of one other since they met. */
struct mortal_seen {
	unsigned posted, ok, lost,
		cancelled;		  /* of sends to it, and their ends */
	unsigned handled, taken;	  /* of messages from it */
	unsigned news[STN_PEER_DEAD + 1]; /* by state */
	char how[80];			  /* the last news */
};

struct mortal_report {
	unsigned wrong;
	struct mortal_seen of[MORTAL_NODES];
};

/* How a world is made. */
struct mortal_plan {
	const char *transport, *provider;
	uint32_t nodes;
	bool apart; /* they can't see each other's processes */
	uint64_t silence_ns;
};

/* mortal_node: what a node's process does; returns its exit status. */
int mortal_node(const struct mortal_plan *plan, uint32_t rank, int control);

/* All nodes, as the test sees them. */
struct mortal_world {
	struct mortal_plan plan;
	pid_t processes[MORTAL_NODES]; /* 0: none */
	int controls[MORTAL_NODES];
	struct mortal_hello hellos[MORTAL_NODES];
	struct mortal_report reports[MORTAL_NODES]; /* each one's last */
};

/*
 * mortal_create: starts the nodes; they have opened their endpoints, and don't
 * know each other. On failure the world is empty.
 */
enum stn_err mortal_create(struct mortal_world *world,
			   const struct mortal_plan *plan, struct stn_why *why);

/* mortal_meet: those that live connect to all. */
void mortal_meet(struct mortal_world *world);

/*
 * mortal_destroy: those that live close and exit. True if each did, and if all
 * operations of each had ended then, once.
 */
bool mortal_destroy(struct mortal_world *world);

/* mortal_kill: by SIGKILL; it is gone when this returns. */
void mortal_kill(struct mortal_world *world, uint32_t rank);

/* mortal_stop, mortal_go: by SIGSTOP and SIGCONT. */
void mortal_stop(struct mortal_world *world, uint32_t rank);
void mortal_go(struct mortal_world *world, uint32_t rank);

/* Orders; see enum mortal_order. */
void mortal_send(struct mortal_world *world, uint32_t from, uint32_t to,
		 size_t bytes, unsigned count);
void mortal_stream(struct mortal_world *world, uint32_t from, uint32_t to,
		   size_t bytes, unsigned count);
void mortal_freeze(struct mortal_world *world, uint32_t rank);

/*
 * Waits until node @at has seen it, and updates its report. False, with a
 * remark, if it doesn't in tap_patience_ns().
 */
bool mortal_news(struct mortal_world *world, uint32_t at, uint32_t rank,
		 enum stn_peer_state state);
bool mortal_handled(struct mortal_world *world, uint32_t at, uint32_t rank,
		    unsigned count);
bool mortal_ended(struct mortal_world *world, uint32_t at, uint32_t rank,
		  unsigned count);

#endif
