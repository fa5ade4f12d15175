/*
 * process_group.h: the nodes that a launcher or an agent has started on its
 * host. Each node is a child process with a socket to its parent.
 *
 * One thread. The owner waits for SIGCHLD and calls stn_process_group_reap.
 */
#ifndef STN_LAUNCH_RUN_PROCESS_GROUP_H
#define STN_LAUNCH_RUN_PROCESS_GROUP_H

#include <poll.h>
#include <sys/types.h>

#include "launch/live/pages.h"
#include "launch/signals.h"
#include "launch/wireup/bytes.h"
#include "launch/wireup/wireup_frame.h"
#include "node/config.h"

#define STN_PROCESS_GROUP_FDS 2 /* polled descriptors of each node */

/* Calls to the owner. Ranks are ranks in the run. */
struct stn_process_group_events {
	/* A node has sent this frame, which is valid during the call. */
	void (*received)(void *arg, const struct stn_wireup_frame *frame);
	/* No more frames come: STN_LOST, STN_MALFORMED or STN_NO_MEMORY. */
	void (*closed)(void *arg, uint32_t rank, enum stn_err err);
	/* A node has printed these lines. Only if @piped. */
	void (*printed)(void *arg, uint32_t rank, const unsigned char *lines,
			size_t size);
	/* A node has ended. Its frames and output were passed on before. */
	void (*ended)(void *arg, uint32_t rank, int status);
};

struct stn_process_group_node {
	pid_t pid;  /* 0: the node has ended, or was not started */
	int socket; /* this process's end; -1: closed */
	int output; /* pipe from its standard output; -1: none */
	struct stn_bytes received; /* incomplete frames */
	struct stn_bytes lines;	   /* incomplete lines */
	struct stn_bytes address;  /* from its card; empty: not known */
};

struct stn_process_group {
	/* Set by the owner before stn_process_group_start: */
	const struct stn_config *config;
	const struct stn_process_group_events *events;
	void *arg;
	const char *path; /* file of the program; NULL: as program[0] says */
	char **program;
	uint32_t first, count;	  /* ranks */
	uint32_t later; /* the last so many are started one by one, later */
	const struct stn_signals_before *before; /* for the nodes */
	const char *per;   /* how nodes are bound to cores; see cores.h */
	uint64_t begin_ns; /* start of the emulated links */
	int links;	   /* descriptor of their memory, or -1 */
	const struct stn_live_pages *live; /* of all nodes; NULL: none */
	int64_t replay;	   /* standard input is a file, which each node reads
			    * from this offset; -1: only node 0 reads it */
	int tether;	   /* descriptor that nodes have, too, so that its other
			    * end notices their end; 0: none */
	bool terminal;	   /* node 0 stays in our POSIX group to read stdin */
	bool piped;	   /* the owner handles the nodes' output */
	bool pipe_ignored; /* nodes are to ignore SIGPIPE */
	bool fed;	   /* the owner writes the input of main */
	bool heirs;	   /* if @fed: each node may read it, from the time on
			    * when it becomes the root */
	bool paused;	   /* output is not read for now */
	bool shows;	   /* the owner writes output to a terminal */
	int input;	   /* if @fed: pipe to main's standard input, or -1 */
	int input_reader;  /* its other end, or -1 */

	/* Read only: */
	uint32_t running; /* nodes that have not ended */
	struct stn_process_group_node *nodes;
	pid_t self; /* this process */
};

/*
 * stn_process_group_start: starts all nodes but the later ones. On failure @why names the node
 * that could not start, and the nodes before it run. The caller calls
 * stn_process_group_fini even after a failure.
 */
STN_CHECKED enum stn_err
stn_process_group_start(struct stn_process_group *group, struct stn_why *why);

/*
 * stn_process_group_add: starts node @rank, one of those that are started later.
 */
STN_CHECKED enum stn_err stn_process_group_add(struct stn_process_group *group,
					       uint32_t rank,
					       struct stn_why *why);

/*
 * stn_process_group_interrupt: sends SIGINT to node @rank, unless the node
 * has received it already. Returns false if the node is not of the group, or has ended.
 * @typed  the terminal has sent SIGINT (Control-C): also to node 0, if node 0
 *	   reads the terminal
 */
bool stn_process_group_interrupt(struct stn_process_group *group, uint32_t rank,
				 bool typed);

/* stn_process_group_fini: call it when all started nodes have ended. */
void stn_process_group_fini(struct stn_process_group *group);

/*
 * stn_process_group_fds: fills @fds with the descriptors to poll. Returns their
 * number, STN_PROCESS_GROUP_FDS for each node, or 0 before the start.
 */
uint32_t stn_process_group_fds(const struct stn_process_group *group,
			       struct pollfd *fds);

/*
 * stn_process_group_listen: reads all descriptors that poll() found ready.
 * @fds  as stn_process_group_fds filled it, after poll()
 */
void stn_process_group_listen(struct stn_process_group *group,
			      const struct pollfd *fds);

/* A child that is not a node has ended. */
typedef void stn_process_group_other(void *arg, pid_t pid, int status);

/*
 * stn_process_group_reap: handles children that have ended. Kills the processes
 * that an ended node has started, and removes its transport's files.
 * @other  called for a child that is not a node; NULL: all children are nodes
 */
void stn_process_group_reap(struct stn_process_group *group,
			    stn_process_group_other *other, void *arg);

/*
 * stn_process_group_signals: returns a signalfd for SIGCHLD and the signals
 * that end a run (launch/signals.h), which are blocked. -1 on failure, with
 * errno.
 * @before  receives what stn_signals_restore needs
 */
int stn_process_group_signals(struct stn_signals_before *before);

/*
 * stn_process_group_send: sends a frame to all nodes. Blocks while a node does
 * not read, for a minute at most.
 */
void stn_process_group_send(struct stn_process_group *group,
			    enum stn_wireup_frame_type type, const void *body,
			    size_t size);

/* stn_process_group_send_one: sends a frame to node @rank, in the same way. */
void stn_process_group_send_one(struct stn_process_group *group, uint32_t rank,
				enum stn_wireup_frame_type type,
				const void *body, size_t size);

/*
 * stn_process_group_kill: kills all nodes and the processes they started.
 * stn_process_group_kill_node: the same for node @rank, if it is of the group
 * and has not ended.
 */
void stn_process_group_kill(struct stn_process_group *group);
void stn_process_group_kill_node(struct stn_process_group *group,
				 uint32_t rank);

#endif
