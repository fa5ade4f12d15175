/*
 * share.h: how much of its cores a node's workers get, from 0 to 1. The kernel
 * counts for each thread how long it ran and how long it waited for a core
 * (node/stats/core_time.h). A node whose workers have nothing to do is judged
 * by what others do on its cores (/proc/stat). In virtual time: the speed of
 * the node over its speed by --speed.
 */
#ifndef STN_PARTS_HECTOR_SHARE_H
#define STN_PARTS_HECTOR_SHARE_H

#include <sched.h>
#include <sys/types.h>

#include "node/node.h"

/* A worker's thread, and its times when they were last read. */
struct stn_share_thread {
	pid_t id; /* 0: it has not begun */
	uint64_t ran_ns, waited_ns;
};

struct stn_share {
	struct stn_share_thread *threads; /* of all workers */
	cpu_set_t cores;		  /* on which they may run */
	uint64_t busy, total;		  /* of these cores, in ticks */
	double idle;			  /* share of their time, of late */
};

/*
 * stn_share_init: STN_NO_MEMORY. stn_share_fini: takes zeros.
 * stn_share_enter: the calling thread is worker @worker's.
 * stn_share_take: the share since the last call, or since the start.
 */
STN_CHECKED enum stn_err stn_share_init(struct stn_share *share,
					uint32_t workers);
void stn_share_fini(struct stn_share *share);
void stn_share_enter(struct stn_share *share, uint32_t worker);
double stn_share_take(struct stn_share *share, const struct stn_node *node);

#endif
