/*
 * agent_private.h: an agent at work. agent.c watches the nodes and the signals,
 * agent_orders.c carries out the launcher's orders, and agent_report.c writes
 * to the launcher.
 */
#ifndef STN_LAUNCH_RUN_AGENT_PRIVATE_H
#define STN_LAUNCH_RUN_AGENT_PRIVATE_H

#include <poll.h>

#include "launch/run/agent_protocol.h"
#include "launch/run/lease.h"
#include "launch/run/process_group.h"

#define AGENT_OWN_FDS 3 /* descriptors of the agent itself */

struct agent {
	struct stn_config config;
	struct stn_process_group group;
	struct stn_live_pages live; /* of its nodes */
	struct stn_agent_start start;
	struct stn_bytes orders; /* frames from the launcher */
	struct stn_bytes input;	 /* for main, not written yet */
	bool input_ends;
	uint32_t reader; /* the node that runs main; 0, unless that died */
	struct stn_signals_before before;
	int signals;
	struct pollfd *fds;
	unsigned char *order; /* body of START, which @start points into */
	bool over; /* the launcher is gone, or the agent has failed */
	struct stn_lease lease;

	int from, to; /* descriptors to the launcher; @from -1: it has ended */
	/* Another launcher has started this process, see stn_agent_here: */
	bool here;
	bool well; /* the launcher has said that the run has ended well */
};

/*
 * agent_listen: reads the launcher's orders and carries them out. If the
 * launcher has closed its end, gives up.
 */
void agent_listen(struct agent *agent);

/*
 * agent_write: writes all bytes to the launcher, which always reads until it
 * ends, and frees them. Blocks, but no longer than the lease lasts. False: the
 * launcher is gone.
 */
bool agent_write(const struct agent *agent, struct stn_bytes *bytes);

/*
 * agent_report: sends the launcher a frame. Gives up if the launcher is gone.
 */
void agent_report(struct agent *agent, enum stn_wireup_frame_type type,
		  uint32_t rank, const void *body, size_t size);

/* agent_fail: tells the launcher why the run can't go on, and gives up. */
void agent_fail(struct agent *agent, const char *text);

/*
 * agent_give_up: kills the nodes. The agent then only waits for the ends of its
 * nodes.
 */
void agent_give_up(struct agent *agent);

#endif
