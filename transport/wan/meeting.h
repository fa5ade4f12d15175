/*
 * meeting.h: where the gateways of a run find each other: a Redis server that
 * all of them reach. It holds, for the run called R,
 *
 *	sateen:R	a set of the names of its clusters; expires soon
 *	sateen:R:C	what the gateway of cluster C has left (entry.h);
 *			expires soon
 *
 * "Soon" is after some seconds, unless the gateway says again that it is there,
 * which it does as long as it waits or runs; and it takes its own away when it
 * ends. So a name can be used again when the run is over, and some seconds
 *after its gateways were killed. Nothing but that needs the server once the run
 *has begun: it may be restarted, or be out of reach.
 *
 * One thread.
 */
#ifndef STN_TRANSPORT_WAN_MEETING_H
#define STN_TRANSPORT_WAN_MEETING_H

#include <stdbool.h>
#include <stddef.h>

#include "transport/error.h"
#include "transport/wan/entry.h"

#define STN_MEETING_PASSWORD "STN_REDIS_PASSWORD" /* a variable */

struct stn_meeting;

/*
 * stn_meeting_open: the server is at "HOST:PORT", or, if that begins with '/',
 * is a socket's path. @run is the run's name, @cluster ours; both must outlive
 * it. Blocks, some seconds at most. stn_meeting_close leaves, and waits until
 * that has been done, for a second after it was begun; it takes NULL.
 */
STN_CHECKED enum stn_err stn_meeting_open(const char *at, const char *run,
					  const char *cluster,
					  struct stn_meeting **meeting_p,
					  struct stn_why *why);
void stn_meeting_close(struct stn_meeting *meeting);

/*
 * stn_meeting_enter: leaves our entry there. STN_IN_USE if another run of that
 * name goes on, or a cluster of our name is there already.
 * @entered_p  false on success: of such a run something is there, but its
 *     gateways may have been killed, which @why says; call again a moment later
 * Blocks, some seconds at most.
 */
STN_CHECKED enum stn_err stn_meeting_enter(struct stn_meeting *meeting,
					   const struct stn_entry *entry,
					   bool *entered_p,
					   struct stn_why *why);

/* What is there of a cluster. */
typedef void stn_meeting_see(void *arg, const char *cluster, const char *entry,
			     size_t entry_bytes);

/*
 * stn_meeting_look: says again that we are there, and shows what all gateways,
 * also we, have left. STN_IN_USE if another has taken our place. Blocks, some
 * seconds at most.
 */
STN_CHECKED enum stn_err stn_meeting_look(struct stn_meeting *meeting,
					  stn_meeting_see *see, void *arg,
					  struct stn_why *why);

/*
 * stn_meeting_tend: says, now and then, that we are still there. To be called
 * several times a second when there is nothing to look for any more. Never
 * blocks.
 */
void stn_meeting_tend(struct stn_meeting *meeting);

/*
 * stn_meeting_begin: nobody else may come. stn_meeting_leave: what we have left
 * is to go. Neither blocks: stn_meeting_tend does it.
 */
void stn_meeting_begin(struct stn_meeting *meeting);
void stn_meeting_leave(struct stn_meeting *meeting);

#endif
