/*
 * core_time.h: how much of a processor a thread got. The kernel counts for each
 * thread how long it ran, and how long it was ready to run but another thread
 * had the processor. So a worker that other programs slow down is told from one
 * that waits for messages.
 */
#ifndef STN_NODE_STATS_CORE_TIME_H
#define STN_NODE_STATS_CORE_TIME_H

#include "node/stats/counts.h"

/*
 * stn_core_time_count: sets on_core_ns and core_wait_ns to the times of the
 * calling thread since it began. Leaves them alone if the kernel doesn't count
 * (it was built without CONFIG_SCHED_INFO, or /proc is not mounted). Takes some
 * microseconds. Not in virtual time, where all workers share a thread.
 */
void stn_core_time_count(struct stn_times *times);

#endif
