/*
 * links.h: a file that says what joins which clusters, where not all links are
 * alike, or not for ever. A line each, for one direction:
 *
 *	FROM TO LATENCY[,RATE[,JITTER]]		0 1 9ms,1.2MB/s,1ms
 *	FROM TO none				2 3 none
 *	@ TIME					@ 60s
 *
 * FROM and TO are numbers of clusters, or * for all; of lines that speak of the
 * same link the last one counts; what none speaks of is as --wan says. "none"
 * is as fast as the network inside. What follows an @ holds from that time of
 * the run on, and what it doesn't speak of is as before; times ascend. What
 * follows a # is for people.
 */
#ifndef STN_TRANSPORT_LINKS_H
#define STN_TRANSPORT_LINKS_H

#include <stdio.h>

#include "transport/error.h"
#include "transport/topology.h"

/*
 * stn_links_parse: reads all of @in, which people know as @name, into
 * @topology's links, whose memory is the caller's to free. On failure there are
 * none, and @why names the line.
 */
STN_CHECKED enum stn_err stn_links_parse(FILE *in, const char *name,
					 struct stn_topology *topology,
					 struct stn_why *why);

/* stn_links_read: the same for a file; none at all if @path is "none". */
STN_CHECKED enum stn_err stn_links_read(const char *path,
					struct stn_topology *topology,
					struct stn_why *why);

/*
 * stn_links_fill: what is "none" at times only, and so is a link with a queue,
 * becomes what is known of the network inside.
 */
void stn_links_fill(struct stn_topology *topology,
		    const struct stn_link *inside);

#endif
