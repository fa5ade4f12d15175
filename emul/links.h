/*
 * links.h: the parser of a links file, which describes the links between
 * clusters if they differ from each other or change over time. Each line
 * describes one direction of one or more links, names a cluster, or starts a
 * section:
 *
 *	FROM TO LATENCY[,RATE[,JITTER[,LOSS]]]	0 1 9ms,1.2MB/s,1ms,2%
 *	FROM TO none				2 3 none
 *	name CLUSTER NAME			name 1 berlin
 *	@ TIME					@ 60s
 *
 * FROM and TO are numbers of clusters, or * for all clusters. If several lines
 * describe the same link, the last one counts. A link that no line describes is
 * as --wan says. A link "none" is as fast as the network inside a cluster.
 * Lines after "@ TIME" hold from that time of the run on; a link that they
 * don't describe stays as before. TIMEs must ascend. A name has up to 63
 * visible ASCII characters and holds for the whole run; the last one counts, and
 * one of a cluster that the run lacks is ignored. A # starts a comment.
 */
#ifndef STN_EMUL_LINKS_H
#define STN_EMUL_LINKS_H

#include <stdio.h>

#include "transport/error.h"
#include "transport/topology.h"

/*
 * stn_links_parse: replaces @topology's links by those that @in describes, and
 * names its clusters, unless they have names already. The caller frees both
 * (stn_topology_fini). On failure @topology has no links.
 * @name  the file's name, for @why, which also has the line's number
 * STN_INVALID, STN_IO or STN_NO_MEMORY.
 */
STN_CHECKED enum stn_err stn_links_parse(FILE *in, const char *name,
					 struct stn_topology *topology,
					 struct stn_why *why);

#define STN_LINKS_PATH 1024 /* bytes of a file's name */

/*
 * stn_links_find: if there is no file @path, and @path has no slash, looks for a
 * file of that name, with or without .links, among those of Sateen, and puts its
 * path into @path. STN_INVALID if there is none; @why then lists the names.
 */
STN_CHECKED enum stn_err stn_links_find(char path[STN_LINKS_PATH],
					struct stn_why *why);

/* stn_links_read: parses the file @path; does nothing if @path is "none". */
STN_CHECKED enum stn_err stn_links_read(const char *path,
					struct stn_topology *topology,
					struct stn_why *why);

/*
 * stn_links_fill: if a link is "none" in some of its sections only, it has a
 * link queue all the time. In those sections it becomes @inside, the network
 * inside a cluster.
 */
void stn_links_fill(struct stn_topology *topology,
		    const struct stn_link *inside);

#endif
