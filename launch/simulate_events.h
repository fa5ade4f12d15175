/*
 * simulate_events.h: carries out the schedule of a simulated run
 * (emul/schedule.h): kills nodes at their times, and tells when the run notices
 * an event.
 *
 * The run notices that a process was killed after the latency of one message
 * inside a cluster, by which its launcher tells it; and that a host has
 * vanished after the time --silence, if that is not 0s. It knows at once that a
 * node is suspected, leaves or joins; nothing else happens to these nodes.
 */
#ifndef STN_LAUNCH_SIMULATE_EVENTS_H
#define STN_LAUNCH_SIMULATE_EVENTS_H

#include "emul/schedule.h"
#include "emul/sim_run.h"
#include "node/config.h"

struct stn_simulate_events;
struct stn_wireup;

/* The run that events happen to. All of it outlives the events. */
struct stn_simulate_run {
	const struct stn_config *config;
	const struct stn_topology *topology;
	struct stn_sim *sim;
	struct stn_wireup *wireup; /* made by stn_wireup_sim */
	stn_sim_fail *fail;
};

/*
 * stn_simulate_events_create: reads the file that the settings name, and
 * registers its events with the simulation, before stn_sim_run.
 */
STN_CHECKED enum stn_err
stn_simulate_events_create(const struct stn_simulate_run *run,
			   struct stn_simulate_events **events_p,
			   struct stn_why *why);

/* stn_simulate_events_destroy: after stn_sim_run. Takes NULL. */
void stn_simulate_events_destroy(struct stn_simulate_events *events);

/*
 * stn_simulate_events_tell: sets the function to call when the run notices that
 * @what has happened to node @rank. The scheduler calls it, as a callback of
 * stn_sim_at. It is not called for a node that had died or ended before a kill,
 * or died before another event. The default ends the process with a line about
 * the event.
 */
typedef void stn_simulate_noticed(void *arg, enum stn_schedule_what what,
				  uint32_t rank);
void stn_simulate_events_tell(struct stn_simulate_events *events,
			      stn_simulate_noticed *noticed, void *arg);

/*
 * stn_simulate_events_reserve: reserves in @topology the ranks whose first
 * event is join. STN_INVALID if node 0 is one of them; STN_NO_MEMORY.
 */
STN_CHECKED enum stn_err
stn_simulate_events_reserve(const struct stn_simulate_events *events,
			    struct stn_topology *topology, struct stn_why *why);

/* stn_simulate_events_died: was this node killed, or has it vanished? */
bool stn_simulate_events_died(const struct stn_simulate_events *events,
			      uint32_t rank);

#endif
