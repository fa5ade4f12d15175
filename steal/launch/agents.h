/*
 * agents.h: the launcher's end of its agents, one on each host, each behind an
 * ssh of its own. What a host's nodes print is printed here, and node 0's
 * input is read here. One thread; SIGCHLD is the owner's to wait for.
 */
#ifndef STN_STEAL_LAUNCH_AGENTS_H
#define STN_STEAL_LAUNCH_AGENTS_H

#include <poll.h>
#include <signal.h>
#include <sys/types.h>

#include "steal/bytes.h"
#include "steal/launch/control.h"
#include "steal/launch/hosts.h"

#define STN_AGENTS_WINDOW 65536 /* of input that node 0 has not taken */
#define STN_AGENTS_FDS 3	/* that are polled, for each host, */
#define STN_AGENTS_MORE 2	/*   and besides */

/* What the owner is told. */
struct stn_agents_events {
	/* A host has said how many nodes it would have; */
	void (*answered)(void *arg);
	/*   all have. */
	void (*ready)(void *arg);
	/* As of a crew. */
	void (*said)(void *arg, uint32_t rank, struct stn_frame_in *frame);
	void (*ended)(void *arg, uint32_t rank, int status);
	/* A line that names a host: why the run can't go on. */
	void (*failed)(void *arg, const char *text);
};

struct stn_agent_host {
	pid_t ssh; /* 0: it has ended, with: */
	int status;
	int orders, reports, errors; /* our ends of its pipes; -1: closed */
	struct stn_bytes to, from, words;
	bool greeted;
	size_t noise;	 /* bytes before that */
	uint32_t offers; /* nodes */
	uint32_t first, count, running;
};

struct stn_agents {
	/* Set by the owner before stn_agents_call: */
	const struct stn_hosts *hosts;
	const struct stn_agents_events *events;
	void *arg;
	const char *ssh;    /* a command and options, split at blanks */
	const char *remote; /* of sateen on the hosts */
	const char *per;    /* see stn_place_nodes */
	const sigset_t *old_mask;

	/* Read only: */
	struct stn_agent_host *list; /* one for each of @hosts */
	uint32_t called, greeted;
	uint32_t alive; /* hosts of which something may come */
	struct stn_bytes output;
	uint32_t window;   /* of input that may be sent */
	bool input_ended;  /* or isn't wanted */
	bool output_ended; /* nobody reads it */
	bool hung_up;	   /* the agents have been told to end it */
};

/*
 * stn_agents_call: calls the first hosts, and others as these answer; they do
 * so by events. Standard input and
 * output are the agents' from then on, and SIGPIPE and SIGTTIN are ignored.
 * Even if it fails stn_agents_fini is due.
 */
STN_CHECKED enum stn_err stn_agents_call(struct stn_agents *agents,
					 struct stn_why *why);

/*
 * stn_agents_start: each host starts its nodes: ranks are dealt in the hosts'
 * order, @counts[i] of them to host i; one without any is let go. STN_OK or
 * STN_NO_MEMORY.
 */
STN_CHECKED enum stn_err stn_agents_start(struct stn_agents *agents,
					  const uint32_t *counts,
					  const struct stn_control_start *what);

/* stn_agents_fds: of the hosts, and of input and output; returns how many. */
uint32_t stn_agents_fds(const struct stn_agents *agents, struct pollfd *fds);

/* stn_agents_listen: does what can be done, by what poll has made of @fds. */
void stn_agents_listen(struct stn_agents *agents, const struct pollfd *fds);

/* stn_agents_reaped: a child of ours has ended; false if it is no ssh. */
bool stn_agents_reaped(struct stn_agents *agents, pid_t pid, int status);

/* stn_agents_tell: sends a wire-up frame to all nodes. */
void stn_agents_tell(struct stn_agents *agents, enum stn_frame_type type,
		     const void *body, size_t size);

/* stn_agents_hang_up: all nodes are to be killed, then all agents end. */
void stn_agents_hang_up(struct stn_agents *agents);

/* stn_agents_abandon: those that haven't, by now, are not waited for. */
void stn_agents_abandon(struct stn_agents *agents);

/* stn_agents_host: the name of the host of node @rank. */
const char *stn_agents_host(const struct stn_agents *agents, uint32_t rank);

/* stn_agents_nodes: how many have been started, and have not ended. */
uint32_t stn_agents_nodes(const struct stn_agents *agents);

/* stn_agents_busy: is there something to be waited for? */
bool stn_agents_busy(const struct stn_agents *agents);

void stn_agents_fini(struct stn_agents *agents);

#endif
