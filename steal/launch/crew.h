/*
 * crew.h: the nodes that a process has started on its host: a child each, with
 * a socket to it. The launcher has a crew, or it has agents, which have one
 * each. One thread; SIGCHLD is the owner's to wait for.
 */
#ifndef STN_STEAL_LAUNCH_CREW_H
#define STN_STEAL_LAUNCH_CREW_H

#include <poll.h>
#include <signal.h>
#include <sys/types.h>

#include "steal/bytes.h"
#include "steal/config.h"
#include "transport/wireup/wireup_frame.h"

#define STN_CREW_FDS 2 /* that are polled, for each node */

/* What the owner is told; ranks are the run's. */
struct stn_crew_events {
	/* A node has sent a whole frame, which is dropped afterwards. */
	void (*said)(void *arg, uint32_t rank, struct stn_frame_in *frame);
	/* No more will come: STN_LOST, STN_MALFORMED or STN_NO_MEMORY. */
	void (*silent)(void *arg, uint32_t rank, enum stn_err err);
	/* It has printed these lines; only if outputs are wanted. */
	void (*printed)(void *arg, uint32_t rank, const unsigned char *lines,
			size_t size);
	/* It has ended, and all that it said or printed was told before. */
	void (*ended)(void *arg, uint32_t rank, int status);
};

struct stn_crew_node {
	pid_t pid;  /* 0: it has ended, or wasn't started */
	int socket; /* our end; -1: none */
	int output; /* what it prints; -1: not here */
	struct stn_frame_in frame;
	struct stn_bytes lines;
	unsigned char *address; /* on its card, or NULL */
	size_t address_bytes;
};

struct stn_crew {
	/* Set by the owner before stn_crew_start: */
	const struct stn_config *config;
	const struct stn_crew_events *events;
	void *arg;
	char **program;
	uint32_t first, count;	  /* ranks */
	const sigset_t *old_mask; /* of signals, for the nodes */
	const char *per;	  /* how nodes are bound: see place.h */
	uint64_t begin_ns;	  /* of the links; */
	int links;		  /*   and memory for their state, or -1 */
	bool terminal; /* node 0 reads it, so it is in our process group */
	bool piped;    /* outputs are told, and node 0's input comes from */
	int input;     /*   here: its writing end, or -1 */

	/* Read only: */
	uint32_t running;
	struct stn_crew_node *nodes;
	pid_t self;
};

/*
 * stn_crew_start: starts all. On failure @why says which one couldn't be; those
 * that could still run. Even then stn_crew_fini is due.
 */
STN_CHECKED enum stn_err stn_crew_start(struct stn_crew *crew,
					struct stn_why *why);

/* stn_crew_fini: when no node is left, or none was started. */
void stn_crew_fini(struct stn_crew *crew);

/* stn_crew_fds: STN_CREW_FDS for each node; returns how many. */
uint32_t stn_crew_fds(const struct stn_crew *crew, struct pollfd *fds);

/*
 * stn_crew_poll: poll() of @count descriptors, of which many may be -1: it
 * would count those, too, against the limit of open files.
 * @fds  has room for twice as many
 */
int stn_crew_poll(struct pollfd *fds, uint32_t count, int timeout_ms);

/* stn_crew_listen: takes what has come, by what poll has made of @fds. */
void stn_crew_listen(struct stn_crew *crew, const struct pollfd *fds);

/* A child of this process that is no node has ended. */
typedef void stn_crew_other(void *arg, pid_t pid, int status);

/*
 * stn_crew_reap: sees to the children that have ended. What nodes had started
 * is killed, and what they leave on this host removed.
 * @other  NULL: there are none but nodes
 */
void stn_crew_reap(struct stn_crew *crew, stn_crew_other *other, void *arg);

/*
 * stn_crew_signals: a descriptor that SIGCHLD is read from, and what ends a run
 * (transport/signals.h). -1: errno tells why there is none.
 * @old_mask  which signals were blocked before
 */
int stn_crew_signals(sigset_t *old_mask);

/* stn_crew_tell: sends a frame to all. */
void stn_crew_tell(struct stn_crew *crew, enum stn_frame_type type,
		   const void *body, size_t size);

/* stn_crew_kill: all nodes, with all that they have started. */
void stn_crew_kill(struct stn_crew *crew);

#endif
