/*
 * hosts.h: a file that names the hosts of a run, similar to a host file of MPI:
 *
 *	HOST[:N]  [slots=N]  [cluster=NAME]
 *	[NAME]
 *
 * N is the number of nodes on the host. Hosts below a line like [amsterdam] or
 * [cluster amsterdam] are in that cluster. A host that is named again gets the
 * nodes of both lines. max_slots=N is ignored, and so is the text after a #.
 */
#ifndef STN_LAUNCH_RUN_HOSTS_H
#define STN_LAUNCH_RUN_HOSTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "transport/error.h"

/* The largest number of hosts, and of nodes on a host or in a run. */
#define STN_HOSTS_NODES 100000

struct stn_host {
	char *name;	  /* host or user@host, as ssh takes it */
	uint32_t nodes;	  /* number in the file; 0: none */
	uint32_t cluster; /* index; 0 without clusters */
};

/* All zeros: no hosts. */
struct stn_hosts {
	struct stn_host *list; /* sorted by cluster */
	uint32_t count;
	char **clusters; /* names in the order of the file */
	uint32_t cluster_count;
};

/*
 * stn_hosts_parse: reads a file of hosts from @in to its end. @name is the
 * file's name in messages. On success there is at least one host, and either
 * all hosts are in clusters or none is; the caller calls stn_hosts_fini. On
 * failure @hosts is empty, and @why names the line.
 */
STN_CHECKED enum stn_err stn_hosts_parse(FILE *in, const char *name,
					 struct stn_hosts *hosts,
					 struct stn_why *why);

/* stn_hosts_read: opens the file @path and calls stn_hosts_parse. */
STN_CHECKED enum stn_err
stn_hosts_read(const char *path, struct stn_hosts *hosts, struct stn_why *why);

/*
 * stn_hosts_place: computes the number of nodes on each host. The room of a
 * host is its number in the file or, without one, @counts[i].
 * @asked   number of nodes in the run, which fill the first hosts; 0: all room
 * @told    the user has set @counts, so more nodes than room are an error.
 *     Otherwise, if the file has no numbers either, more nodes than room are
 *     spread evenly over all hosts.
 * @counts  in: the room of each host; out: its number of nodes
 */
STN_CHECKED enum stn_err stn_hosts_place(const struct stn_hosts *hosts,
					 uint32_t asked, bool told,
					 uint32_t *counts, struct stn_why *why);

/*
 * stn_hosts_sizes: writes the numbers of nodes of the clusters to @text,
 * separated by commas. @text has @room bytes. STN_INVALID if a cluster gets no
 * node, or if @text is too short.
 */
STN_CHECKED enum stn_err stn_hosts_sizes(const struct stn_hosts *hosts,
					 const uint32_t *counts, char *text,
					 size_t room, struct stn_why *why);

void stn_hosts_fini(struct stn_hosts *hosts);

#endif
