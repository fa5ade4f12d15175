/*
 * lease.h: how a launcher knows that the nodes of a host that it can't reach
 * have ended. The agent of the host asks the launcher for a lease several times
 * during --silence, with the time of its own clock (frame LEASE), and the
 * launcher sends that time back (RENEWED). The lease ends when --silence has
 * passed since the agent sent the newest request that was answered. Then the
 * agent kills its nodes. The launcher counts from the time at which that request
 * arrived, so it waits longer than the agent, by LEASE_MARGIN_NS for the kill.
 *
 * While the launcher reads nothing from its agents, because nobody reads the
 * output of the run, it suspends all leases.
 *
 * This file has the agent's side, agents_lease.c the launcher's. One thread.
 */
#ifndef STN_LAUNCH_RUN_LEASE_H
#define STN_LAUNCH_RUN_LEASE_H

#include <stdbool.h>
#include <stdint.h>

#define STN_LEASE_MARGIN_NS 50000000ull
#define STN_LEASE_SUSPENDED UINT64_MAX /* in RENEWED: the lease has no end */

/* All zero: there is no lease. */
struct stn_lease {
	uint64_t silence_ns;
	uint64_t asks_ns; /* when to ask next */
	uint64_t ends_ns;
};

/* stn_lease_begin: the first lease begins at @now. @silence_ns 0: no lease. */
void stn_lease_begin(struct stn_lease *lease, uint64_t silence_ns,
		     uint64_t now);

/*
 * stn_lease_asks: whether a request is due at @now. If it is, the caller sends
 * it, with @now.
 */
bool stn_lease_asks(struct stn_lease *lease, uint64_t now);

/* stn_lease_renew: the answer to the request of @asked has come. */
void stn_lease_renew(struct stn_lease *lease, uint64_t asked, uint64_t now);

/* stn_lease_ended: whether the lease has ended at @now. */
bool stn_lease_ended(const struct stn_lease *lease, uint64_t now);

/*
 * stn_lease_left: milliseconds until the end of the lease.
 * stn_lease_wait: the same, or until the next request, if that is earlier.
 * Both return -1 if there is no lease.
 */
int stn_lease_left(const struct stn_lease *lease, uint64_t now);
int stn_lease_wait(const struct stn_lease *lease, uint64_t now);

#endif
