/*
 * launch.h: the launcher's own, which its files share. Users see stn_launch in
 * sateen.h.
 */
#ifndef STN_STEAL_LAUNCH_LAUNCH_H
#define STN_STEAL_LAUNCH_LAUNCH_H

#include <signal.h>
#include <stdbool.h>
#include <time.h>

#include "steal/launch/agents.h"
#include "steal/config.h"
#include "steal/launch/crew.h"
#include "transport/wireup/wireup_server.h"

#define LAUNCH_JOIN_SECONDS 60	/* to show its address in */
#define LAUNCH_LEAVE_SECONDS 20 /* to end in, after the barrier */
#define LAUNCH_READ_SECONDS 5	/* between looks whether output is read */
#define LAUNCH_PLACE 100
#define LAUNCH_KILLED_SECONDS                                                  \
	5 /* for agents and ssh to end after their nodes */

struct launch {
	struct stn_config config;
	struct stn_topology topology;
	struct stn_wireup_server server;
	struct stn_hosts hosts;	  /* none: all nodes are on this one */
	struct stn_crew crew;	  /* here, */
	struct stn_agents agents; /* or elsewhere */
	bool *joined;		  /* its card is there, with its address */
	uint32_t joiners;
	char **program;
	uint32_t processes; /* one for each node, unless: */
	bool inside;	    /* one process has all the nodes */
	int signals;	    /* a signalfd */
	int links;	    /* memory for the links' state, or -1 */
	sigset_t old_mask;
	struct timespec deadline;
	bool timed;	   /* there is one */
	bool killed;	   /* all has been */
	bool main_gave_up; /* node 0 did, for a reason that it told */
	bool left;	   /* a node of a run with gateways has, early */
	int status;	   /* what we shall return */
	bool failed;	   /* the user has been told why */
};

/*
 * launch_settings: what the command line and the environment say. False, after
 * a complaint, if that is no run.
 */
bool launch_settings(struct launch *launch, int argc, char **argv);

/*
 * launch_prepare: makes ready for as many nodes as the settings say. Once, and
 * before any is started.
 */
STN_CHECKED enum stn_err launch_prepare(struct launch *launch,
					struct stn_why *why);

/* launch_read_hosts: reads the file that the settings name. */
STN_CHECKED enum stn_err launch_read_hosts(struct launch *launch,
					   struct stn_why *why);

/* launch_call_hosts: calls the agents; the nodes start when all have come. */
void launch_call_hosts(struct launch *launch);

/* launch_nodes: what the launcher does when its nodes say something. */
extern const struct stn_crew_events launch_nodes;

/* launch_tell: sends a frame to all nodes; @arg is the launch. */
void launch_tell(void *arg, enum stn_frame_type type, const void *body,
		 size_t size);

/* launch_kill: all nodes: what is left to do is to see them dead. */
void launch_kill(struct launch *launch);

/* launch_wait: for so long from now on, and no longer. */
void launch_wait(struct launch *launch, unsigned ms);

/* launch_begin_waiting: for all nodes, or hosts, to come. */
void launch_begin_waiting(struct launch *launch);

/*
 * launch_complain: one line on stderr, and the run has failed. The first is the
 * one that matters; later ones follow from it, and aren't said.
 */
void launch_complain(struct launch *launch, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* launch_place: " on HOST" in @text, and @text; "" if there is but one host. */
const char *launch_place(const struct launch *launch, uint32_t rank,
			 char text[LAUNCH_PLACE]);

/*
 * launch_explain_end: why the end of node @rank is the end of the run. If a
 * node has given up, that is not said yet: another may have been killed, which
 * would be why; it is seen, or comes, a little later.
 */
void launch_explain_end(struct launch *launch, uint32_t rank, int status);

/* launch_explain_abort: why a node has given up. */
void launch_explain_abort(struct launch *launch);

/* launch_explain_wait: for what the launcher has waited too long. */
void launch_explain_wait(struct launch *launch);

#endif
