/*
 * meeting.h: the meeting point, where the gateways of a run find each other: a
 * Redis server that all gateways can reach. For the run named R it holds
 *
 *	sateen:R	the set of its clusters' names; expires soon
 *	sateen:R:C	the entry of cluster C's gateway (meeting_entry.h);
 *			expires soon
 *
 * "Soon" is after some seconds. A gateway renews its entry as long as it waits
 * or runs, and removes it when it ends. So a name can be used again when the
 * run is over, or some seconds after its gateways were killed. Once the run has
 * begun, the server is only needed for renewals: it may be restarted or be out
 * of reach.
 *
 * One thread.
 */
#ifndef STN_LAUNCH_GATEWAY_MEETING_H
#define STN_LAUNCH_GATEWAY_MEETING_H

#include <stdbool.h>
#include <stddef.h>

#include "transport/error.h"
#include "launch/gateway/meeting_entry.h"

/* An environment variable. */
#define STN_MEETING_PASSWORD "STN_REDIS_PASSWORD"

struct stn_meeting;

/* stn_meeting_at_good: is @at "HOST:PORT" or a path, as stn_meeting_open wants?
 */
bool stn_meeting_at_good(const char *at);

/*
 * stn_meeting_open: connects to the server at "HOST:PORT", or, if @at begins
 * with '/', at a socket's path. @run is the run's name, @cluster ours; both
 * must outlive the meeting. Blocks for some seconds at most.
 * stn_meeting_close: leaves, and waits until the entry has been removed, but no
 * longer than a second from when stn_meeting_leave was called. Takes NULL.
 */
STN_CHECKED enum stn_err stn_meeting_open(const char *at, const char *run,
					  const char *cluster,
					  struct stn_meeting **meeting_p,
					  struct stn_why *why);
void stn_meeting_close(struct stn_meeting *meeting);

/*
 * stn_meeting_enter: leaves our entry at the meeting point. STN_IN_USE if
 * another run of that name goes on, or if a cluster of our name is there
 * already.
 * @entered_p  false on success if entries of an earlier run, whose gateways may
 *     have been killed, keep ours out. @why describes them. Call again a moment
 *     later.
 * Blocks for some seconds at most.
 */
STN_CHECKED enum stn_err
stn_meeting_enter(struct stn_meeting *meeting,
		  const struct stn_meeting_entry *entry, bool *entered_p,
		  struct stn_why *why);

/*
 * stn_meeting_is_late: when our entry was left, the run went on already, and had
 * room for another cluster.
 */
bool stn_meeting_is_late(const struct stn_meeting *meeting);

/* Gets the entry of a cluster. */
typedef void stn_meeting_visit(void *arg, const char *cluster,
			       const char *entry, size_t entry_bytes);

/*
 * stn_meeting_poll: renews our entry and shows all entries, ours too.
 * STN_IN_USE if another gateway has replaced ours. Blocks for some seconds at
 * most.
 */
STN_CHECKED enum stn_err stn_meeting_poll(struct stn_meeting *meeting,
					  stn_meeting_visit *see, void *arg,
					  struct stn_why *why);

/*
 * stn_meeting_renew: renews our entry now and then. To be called several times
 * a second after the last stn_meeting_poll. Never blocks.
 */
void stn_meeting_renew(struct stn_meeting *meeting);

/*
 * stn_meeting_set_running: marks our entry: the run has begun, our cluster is
 * @number, and no other cluster may join, unless @max_nodes is not 0. To be
 * called again if the number changes.
 * stn_meeting_leave: removes our entry.
 * Neither blocks: stn_meeting_renew carries them out.
 */
void stn_meeting_set_running(struct stn_meeting *meeting, uint32_t max_nodes,
			     uint32_t max_clusters, uint32_t number);
void stn_meeting_leave(struct stn_meeting *meeting);

#endif
