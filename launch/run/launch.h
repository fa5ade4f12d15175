/*
 * launch.h: the launcher's state, which its files share; its part in wire-up,
 * and its reaction to frames and ends of nodes. One thread.
 */
#ifndef STN_LAUNCH_RUN_LAUNCH_H
#define STN_LAUNCH_RUN_LAUNCH_H

#include <stdbool.h>
#include <time.h>

#include "launch/live/bar.h"
#include "launch/live/http.h"
#include "launch/live/metrics.h"
#include "launch/live/pages.h"
#include "launch/run/agents.h"
#include "launch/run/control.h"
#include "launch/run/echo.h"
#include "launch/run/input.h"
#include "launch/run/muster.h"
#include "launch/run/output.h"
#include "launch/run/process_group.h"
#include "launch/wireup/wireup_server.h"
#include "node/config.h"
#include "node/sequencer.h"

#define LAUNCH_USAGE 2		/* exit status: the command line is wrong */
#define LAUNCH_JOIN_SECONDS 60	/* for a node to show its address */
#define LAUNCH_LEAVE_SECONDS 20 /* for nodes to end after the barrier */
#define LAUNCH_READ_SECONDS 5	/* between checks whether output is read */
#define LAUNCH_KILLED_SECONDS 5 /* for agents and ssh to end after nodes */
#define LAUNCH_INTERRUPT_SECONDS 2 /* for main to print after SIGINT */

/* A request to the control socket that waits for nodes to leave. */
struct launch_waiting {
	uint64_t number;
	bool *named; /* by rank: is it one of these nodes? */
};

/* See launch_live.h. */
struct launch_live {
	struct stn_live_pages pages; /* by rank */
	struct stn_metrics_node *nodes; /* room for each of them */
	struct stn_meter meter;
	struct stn_bar bar;
	bool has_bar; /* standard error is a terminal */
	struct stn_http *http; /* or NULL */
	uint64_t began_ns, next_ns; /* when to look again */
	/* Requests to the control socket that wait for agents. */
	uint64_t asked[STN_CONTROL_CLIENTS];
	uint32_t asked_count;
};

struct launch {
	struct stn_config config;
	struct stn_topology topology;
	struct stn_wireup_server server;
	struct stn_hosts hosts;		/* empty: all nodes are on this host */
	struct stn_process_group group; /* nodes on this host */
	struct stn_agents agents;	/* nodes on other hosts */
	struct stn_output output;	/* of nodes, if they are piped */
	struct stn_output errors; /* text that standard error can't take yet */
	size_t unread; /* bytes of @errors at the last deadline, if @killed */
	bool watches;  /* the loop that prints them goes on */
	bool *joined;  /* by rank: has the node shown its address? */
	uint32_t joiners; /* nodes that have */
	char **program;
	uint32_t ranks;	    /* number of nodes, with those that join */
	uint32_t processes; /* number: that of nodes, or 1 if @inside */
	bool inside;	    /* one process contains all nodes */
	int signals;	    /* a signalfd */
	int links;	    /* memory for the links' state, or -1 */
	struct stn_signals_before before;
	struct timespec deadline;
	bool timed;	   /* @deadline is set */
	uint32_t overdue;  /* looks since the deadline, at ready descriptors */
	bool killed;	   /* launch_kill was called */
	bool pipe_ignored; /* SIGPIPE was ignored before the launch */
	bool interrupted;  /* the root has been sent SIGINT */
	bool main_gave_up; /* the root aborted and told the reason */
	bool left;	   /* a node left early; its gateway says why */
	int status;	   /* exit status of the launcher */
	bool failed;	   /* the user has been told why */
	struct stn_control *control; /* or NULL */
	struct launch_waiting waiting[STN_CONTROL_CLIENTS];
	uint32_t waiting_count;
	time_t began;
	struct launch_live live;
	const struct stn_http_ops *http; /* NULL: there is none */
	uint32_t root; /* the node that runs main; 0, unless that died */

	/* Of a run that survives deaths: */
	bool survives;
	struct stn_sequencer sequencer;
	uint32_t watching; /* nodes that read views */
	struct stn_echo echo;
	struct stn_input input;
	bool fed; /* input goes to nodes on this host by a pipe */
	bool input_waits; /* the pipe has input that main has not read */
	struct launch_late *late; /* NULL: no nodes can join */
	bool *leavers; /* by rank: has the node said LEFT? */
	struct launch_fence *fences; /* by rank */
	bool cut_told; /* the user knows that hosts can't reach each other */
	bool returned; /* main, on the last root that ran it, with this status: */
	int returned_status;
	struct stn_why summary; /* the line about deaths, or empty */
	uint32_t summed_up;	/* the view whose deaths it must count */

	/* Another launcher has started the agents; or NULL: */
	const struct stn_muster *muster;
	struct {
		bool open;
		int fd;
		struct stn_bytes in;
	} gateway; /* the connection to it; see launch_gateway.h */
};

/*
 * launch_prepare: prepares the wire-up server, the environment and the memory
 * for links, for as many nodes as the settings say. Once, before nodes start.
 */
STN_CHECKED enum stn_err launch_prepare(struct launch *launch,
					struct stn_why *why);

/*
 * launch_carry_out: starts the nodes and waits for their ends. The status and
 * @failed say how the run has ended. The caller calls launch_finish.
 */
void launch_carry_out(struct launch *launch);
void launch_finish(struct launch *launch);

/*
 * stn_launch_serving: stn_launch (steal/sateen.h) with a server for --metrics.
 */
int stn_launch_serving(int argc, char **argv, const struct stn_http_ops *http);

/* launch_nodes: reactions to events of nodes; their argument is the launch. */
extern const struct stn_process_group_events launch_nodes;

#endif
