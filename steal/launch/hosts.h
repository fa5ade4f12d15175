/*
 * hosts.h: a file that names the hosts of a run, in the manner of MPI's:
 *
 *	HOST[:N]  [slots=N]  [cluster=NAME]
 *	[NAME]
 *
 * N is how many nodes the host is to have. Hosts below a line such as
 * [amsterdam] or [cluster amsterdam] are of that cluster. A host that is named
 * again has both lines' nodes. max_slots=N is read over; what follows a # is
 * for people.
 */
#ifndef STN_STEAL_LAUNCH_HOSTS_H
#define STN_STEAL_LAUNCH_HOSTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "transport/error.h"

#define STN_HOSTS_NODES                                                        \
	100000 /* no host has more, nor are there more hosts                   \
		*/

struct stn_host {
	char *name;	  /* as ssh takes it: perhaps user@host */
	uint32_t nodes;	  /* that it is to have; 0: the file doesn't say */
	uint32_t cluster; /* its number; 0 if there are none */
};

/* All zeros: none. */
struct stn_hosts {
	struct stn_host *list; /* of one cluster, then of the next */
	uint32_t count;
	char **clusters; /* their names, as they first appear */
	uint32_t cluster_count;
};

/*
 * stn_hosts_parse: reads all of @in, which people know as @name. There is one
 * host at least, and all are in clusters, or none is. @hosts are to be freed by
 * stn_hosts_fini; on failure there are none, and @why names the line.
 */
STN_CHECKED enum stn_err stn_hosts_parse(FILE *in, const char *name,
					 struct stn_hosts *hosts,
					 struct stn_why *why);

/* stn_hosts_read: the same for a file. */
STN_CHECKED enum stn_err
stn_hosts_read(const char *path, struct stn_hosts *hosts, struct stn_why *why);

/*
 * stn_hosts_deal: how many nodes each host gets: those that the file says,
 * else as many as it has room for.
 * @asked   how many there are to be in all: the first hosts are filled; 0: all
 * @told    how many there is room for was somebody's wish, which is kept; if
 *     not, and the file doesn't say either, more may be asked for, evenly
 * @counts  in: how many there's room for on each host; out: how many it gets
 */
STN_CHECKED enum stn_err stn_hosts_deal(const struct stn_hosts *hosts,
					uint32_t asked, bool told,
					uint32_t *counts, struct stn_why *why);

/*
 * stn_hosts_sizes: the sizes of the clusters, by commas, in @text, which has
 * room for @room letters.
 */
STN_CHECKED enum stn_err stn_hosts_sizes(const struct stn_hosts *hosts,
					 const uint32_t *counts, char *text,
					 size_t room, struct stn_why *why);

void stn_hosts_fini(struct stn_hosts *hosts);

#endif
