/*
 * agents.h: the launcher's connections to its agents. Each host has one agent,
 * which the launcher starts through an ssh of its own. Or another launcher has
 * started the agents, and each is connected by a socket (muster.h). This module
 * reads standard input for main.
 *
 * One thread. The owner waits for SIGCHLD and calls stn_agents_reaped.
 */
#ifndef STN_LAUNCH_RUN_AGENTS_H
#define STN_LAUNCH_RUN_AGENTS_H

#include <poll.h>
#include <sys/types.h>

#include "launch/gateway/host_port.h"
#include "launch/run/agent_protocol.h"
#include "launch/run/hosts.h"
#include "launch/run/input.h"
#include "launch/run/output.h"
#include "launch/run/process_group.h"
#include "launch/wireup/wireup_frame.h"

#define STN_AGENTS_WINDOW 65536 /* bytes of input that main has not read */
#define STN_AGENTS_FDS 3	/* polled descriptors of each host */
#define STN_AGENTS_MORE 1	/* and of the launcher itself */

/* Calls to the owner. */
struct stn_agents_events {
	/* One agent has sent its greeting. */
	void (*answered)(void *arg);
	/*
	 * All agents have sent their greetings; again, if hosts were added and
	 * those of them that have not failed have, too.
	 */
	void (*ready)(void *arg);
	/* The run can't go on; @text says why and names the host. */
	void (*failed)(void *arg, const char *text);
	/*
	 * The agent that has @count nodes from rank @first on has ended before
	 * them, and they with it. Returns whether the run goes on; if not,
	 * @failed is called.
	 */
	bool (*lost)(void *arg, uint32_t first, uint32_t count);
	/*
	 * A host of stn_agents_add has failed, for the reason @text; it has, or
	 * was to get, @count nodes from rank @first on. Returns whether the run
	 * goes on; if not, @failed is called.
	 */
	bool (*late_failed)(void *arg, uint32_t first, uint32_t count,
			    const char *text);
	/* A host has answered stn_agents_probe, or has failed before. */
	void (*probed)(void *arg);
};

struct stn_agent_host {
	pid_t ssh; /* 0: ssh has ended, with @status, or there is none */
	int status;
	int orders, reports, errors; /* pipes to and from ssh; -1: closed */
	struct stn_bytes to, from, error_text;
	bool greeted;	       /* the agent has sent its greeting, or failed */
	bool late;	       /* it was added while the run runs */
	size_t skipped;	       /* bytes of output before the greeting */
	uint32_t offers;       /* number of nodes in the greeting */
	bool probing;	       /* it has not answered PROBE yet */
	/* Of each host in PROBE, or NULL; see stn_probe: */
	uint64_t *round_trips_ns;
	uint32_t probed; /* number of hosts in PROBE */
	uint32_t first, count; /* ranks of the host's nodes */
	uint32_t running;      /* nodes that have not ended */
	uint64_t heard_ns;     /* the newest request for a lease; 0: none */
	bool silent;	       /* its lease has ended */
	bool ended;	       /* its ssh, or the node of an adopted agent */
};

struct stn_agents {
	/* Set by the owner before stn_agents_call: */
	const struct stn_hosts *hosts;
	const struct stn_agents_events *events;
	/* received, printed and ended: */
	const struct stn_process_group_events *nodes;
	void *arg;
	const char *ssh;    /* command and options, separated by blanks */
	const char *remote; /* path of sateen on the hosts */
	const char *per;    /* see stn_placement_nodes */
	const struct stn_signals_before *before;
	struct stn_input *input;
	struct stn_output *errors; /* what hosts print on standard error */
	uint64_t silence_ns; /* --silence, for leases */
	bool one_host;	     /* all agents are on the same host */

	/* Read only: */
	bool started;		     /* stn_agents_start was called */
	bool adopted;		     /* stn_agents_adopt was called */
	bool paused;		     /* no reports are read for now */
	struct stn_agent_host *list; /* one for each of @hosts */
	uint32_t count;		     /* number of elements of @list */
	uint32_t called, greeted;    /* numbers of hosts */
	uint32_t alive;		     /* hosts that have not @ended */
	uint32_t reader;	     /* rank of the node that reads input */
	uint32_t window;	     /* bytes of input that may be sent now */
	bool input_ended;	     /* the reader has been told its end */
	bool hung_up;		     /* stn_agents_hang_up was called */
};

/*
 * stn_agents_call: starts ssh to the first hosts, and to further hosts when
 * agents answer. From then on this module reads standard input, and SIGPIPE and
 * SIGTTIN are ignored.
 * The caller calls stn_agents_fini even after a failure.
 */
STN_CHECKED enum stn_err stn_agents_call(struct stn_agents *agents,
					 struct stn_why *why);

/*
 * stn_agents_adopt: instead of stn_agents_call: the agents are connected
 * already.
 * @sockets  to the agent of each host, which has one node. They don't block.
 *     They are duplicated, and the caller closes them.
 */
STN_CHECKED enum stn_err stn_agents_adopt(struct stn_agents *agents,
					  const int *sockets,
					  struct stn_why *why);

/*
 * stn_agents_start: starts @counts[i] nodes on host i. Ranks ascend in the
 * order of the hosts. The agent of a host without nodes is told to end. STN_OK
 * or STN_NO_MEMORY.
 */
STN_CHECKED enum stn_err stn_agents_start(struct stn_agents *agents,
					  const uint32_t *counts,
					  const struct stn_agent_start *what);

/*
 * stn_agents_add: @hosts has more hosts than before: starts ssh to them. On
 * failure @why names a host; the hosts before it were called.
 * stn_agents_start_late: starts nodes on host @number, which was added.
 * stn_agents_dismiss: ends the agent of host @number, which has no nodes.
 * stn_agents_call_no_more: gives up the added hosts that were not called yet.
 */
STN_CHECKED enum stn_err stn_agents_add(struct stn_agents *agents,
					struct stn_why *why);
STN_CHECKED enum stn_err
stn_agents_start_late(struct stn_agents *agents, uint32_t number,
		      const struct stn_agent_start *what);
void stn_agents_dismiss(struct stn_agents *agents, uint32_t number);
void stn_agents_call_no_more(struct stn_agents *agents);

/*
 * stn_agents_probe: asks the agent of host @number, which has no nodes, to
 * measure how far @count hosts are. False if that is impossible.
 * stn_agents_probing: has an agent not answered yet?
 */
bool stn_agents_probe(struct stn_agents *agents, uint32_t number,
		      const struct stn_host_port *targets, uint32_t count);
bool stn_agents_probing(const struct stn_agents *agents);

/*
 * stn_agents_fds: fills @fds with the descriptors to poll. Returns their
 * number, STN_AGENTS_FDS for each host and STN_AGENTS_MORE, or 0 without hosts.
 */
uint32_t stn_agents_fds(const struct stn_agents *agents, struct pollfd *fds);

/*
 * stn_agents_listen: reads and writes all descriptors that poll() found ready.
 * @fds  as stn_agents_fds filled it, after poll()
 */
void stn_agents_listen(struct stn_agents *agents, const struct pollfd *fds);

/*
 * stn_agents_reaped: the child @pid, which may be an ssh, has ended.
 * @arg  the struct stn_agents
 */
void stn_agents_reaped(void *arg, pid_t pid, int status);

/* stn_agents_send: sends a wire-up frame to all nodes. */
void stn_agents_send(struct stn_agents *agents, enum stn_wireup_frame_type type,
		     const void *body, size_t size);

/* stn_agents_send_one: sends a wire-up frame to node @rank. */
void stn_agents_send_one(struct stn_agents *agents, uint32_t rank,
			 enum stn_wireup_frame_type type, const void *body,
			 size_t size);

/* stn_agents_replay: node @rank reads the input, from its beginning. */
void stn_agents_replay(struct stn_agents *agents, uint32_t rank);

/*
 * stn_agents_flush: sends what the pipes to the agents take now.
 */
void stn_agents_flush(struct stn_agents *agents);

/*
 * stn_agents_kill: orders the agent of node @rank to kill that node.
 * stn_agents_interrupt: orders it to send the node SIGINT. Returns false if the
 * node has no agent, or its agent has ended.
 */
void stn_agents_kill(struct stn_agents *agents, uint32_t rank);
bool stn_agents_interrupt(struct stn_agents *agents, uint32_t rank);

/*
 * stn_agents_hang_up: makes all agents kill their nodes and end. Adopted agents
 * wait for the launcher's end.
 */
void stn_agents_hang_up(struct stn_agents *agents);

/*
 * stn_agents_abandon: kills each ssh that has not ended yet, and expects
 * nothing of agents that were adopted.
 */
void stn_agents_abandon(struct stn_agents *agents);

/*
 * stn_agents_over: tells agents that were adopted that the run has ended well,
 * so that they end well, too. Blocks for some seconds at most.
 */
void stn_agents_over(struct stn_agents *agents);

/* stn_agents_host: the name of the host of node @rank. */
const char *stn_agents_host(const struct stn_agents *agents, uint32_t rank);

/* stn_agents_nodes: the number of nodes that have started and not ended. */
uint32_t stn_agents_nodes(const struct stn_agents *agents);

/* stn_agents_busy: does an ssh, or a node of an adopted agent, still run? */
bool stn_agents_busy(const struct stn_agents *agents);

void stn_agents_fini(struct stn_agents *agents);

#endif
