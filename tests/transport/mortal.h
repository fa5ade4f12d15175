/*
 * mortal.h: tests of how transports handle the death of real processes. Each
 * node is a process of its own. The test orders it what to do, and it reports
 * what it saw. The test itself opens no endpoint.
 */
#ifndef TESTS_TRANSPORT_MORTAL_H
#define TESTS_TRANSPORT_MORTAL_H

#include <sys/types.h>

#include "transport/transport.h"

#define MORTAL_NODES 4 /* the most in a scenario */

/*
 * mortal_run: runs all scenarios on one transport; returns main()'s exit
 * status.
 * @places  the devices or addresses of MORTAL_NODES nodes, or NULL: all nodes
 *          are at 127.0.0.1
 */
int mortal_run(const char *transport, const char *provider,
	       const char *const *places);

enum mortal_order {
	MORTAL_CONNECT, /* connect to all nodes, whose addresses follow */
	MORTAL_SEND,	/* send @count messages of @bytes to @rank */
	/* keep @count messages of @bytes to @rank under way from now on */
	MORTAL_STREAM,
	MORTAL_FREEZE, /* do nothing, not even progress, until the next order */
	MORTAL_EVENT,  /* report when @rank has had @count events of @state */
	/* report when @count messages from @rank were taken since CONNECT */
	MORTAL_HANDLED,
	/* report when @count sends to @rank have ended since CONNECT */
	MORTAL_ENDED,
	MORTAL_QUIT /* close, report, and exit */
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

/* A node's first message, when it has opened its endpoint or failed to. */
struct mortal_hello {
	enum stn_err err;
	struct stn_why why;
	struct mortal_address address;
};

/* Rules of the transport's contract that were broken, as bits. */
enum mortal_wrong {
	MORTAL_TWICE = 1,     /* an operation ended more than once */
	MORTAL_FROM_DEAD = 4, /* a message from a node reported dead */
	MORTAL_GARBLED = 8,   /* a payload differs from what was sent */
	MORTAL_REPEATED = 16, /* an event of a node reported dead */
	/* a send to a dead node did not end at once with STN_LOST */
	MORTAL_ACCEPTED = 32,
	/* another error than expected, or a malformed message */
	MORTAL_UNEXPECTED = 64
};

/* What a node has seen of one other node since CONNECT. */
struct mortal_seen {
	unsigned posted, ok, lost,
		cancelled;	 /* sends to it, and how they ended */
	unsigned handled, taken; /* messages from it */
	unsigned
		events[STN_PEER_DEAD + 1]; /* number of peer events, by state */
	char how[80];			   /* text of the last event */
};

struct mortal_report {
	unsigned wrong;
	struct mortal_seen of[MORTAL_NODES];
};

/* How the nodes are started. */
struct mortal_plan {
	const char *transport, *provider;
	const char *const *places; /* as for mortal_run */
	uint32_t nodes;
	bool apart; /* in separate process namespaces, as on different hosts */
	uint64_t silence_ns;
};

/*
 * mortal_node: the main function of a node's process; returns its exit status.
 */
int mortal_node(const struct mortal_plan *plan, uint32_t rank, int control);

/* All nodes of a scenario. */
struct mortal_world {
	struct mortal_plan plan;
	pid_t processes[MORTAL_NODES]; /* 0: none */
	int controls[MORTAL_NODES];
	struct mortal_hello hellos[MORTAL_NODES];
	/* the last report of each node */
	struct mortal_report reports[MORTAL_NODES];
};

/*
 * mortal_create: starts the nodes. They have opened their endpoints, but are
 * not connected. On failure no node is left.
 */
enum stn_err mortal_create(struct mortal_world *world,
			   const struct mortal_plan *plan, struct stn_why *why);

/* mortal_connect: all living nodes connect to all. */
void mortal_connect(struct mortal_world *world);

/*
 * mortal_destroy: all living nodes close and exit. True if each did, and if
 * every operation of each had ended exactly once.
 */
bool mortal_destroy(struct mortal_world *world);

/* mortal_kill: sends SIGKILL, and returns when the process is gone. */
void mortal_kill(struct mortal_world *world, uint32_t rank);

/* mortal_stop, mortal_go: send SIGSTOP and SIGCONT. */
void mortal_stop(struct mortal_world *world, uint32_t rank);
void mortal_go(struct mortal_world *world, uint32_t rank);

/* Give orders; see enum mortal_order. */
void mortal_send(struct mortal_world *world, uint32_t from, uint32_t to,
		 size_t bytes, unsigned count);
void mortal_stream(struct mortal_world *world, uint32_t from, uint32_t to,
		   size_t bytes, unsigned count);
void mortal_freeze(struct mortal_world *world, uint32_t rank);

/*
 * Wait until node @at has seen the events, messages or ends, and update its
 * report. After tap_patience_ns() they print a line and return false.
 */
bool mortal_event(struct mortal_world *world, uint32_t at, uint32_t rank,
		  enum stn_peer_state state);
bool mortal_handled(struct mortal_world *world, uint32_t at, uint32_t rank,
		    unsigned count);
bool mortal_ended(struct mortal_world *world, uint32_t at, uint32_t rank,
		  unsigned count);

#endif
