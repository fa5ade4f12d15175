/*
 * hosts.h: what the master allocator knows about the nodes, from the reports of
 * the slave allocators, and which resident set is to move. Arithmetic only.
 *
 * A set leaves a node whose workers get less than @keeps of their cores. What
 * such a node has lost so far, in time of its cores, is counted; when it is as
 * much as moving the set costs, the set moves (rent or buy: so the loss is
 * twice the least possible, at most, whenever the load ends). It goes to the
 * spare node that gives most of its cores; of these, to one in the cluster of
 * the set's main partner; then to the one to which the link is fastest.
 */
#ifndef STN_PARTS_HECTOR_HOSTS_H
#define STN_PARTS_HECTOR_HOSTS_H

#include "node/members.h"
#include "parts/hector/wire.h"

struct stn_hosts_host {
	bool known;	  /* it has reported */
	bool moving;	  /* its set has been told to leave */
	bool promised;	  /* a set has been told to come */
	uint64_t seen_ns; /* when it reported last */
	double lost_ns;
	struct stn_hector_report report;
};

struct stn_hosts {
	const struct stn_topology *topology;
	const struct stn_members *members;
	struct stn_link lan;
	double keeps;
	bool links;		   /* the costs of moving are counted */
	struct stn_hosts_host *of; /* by rank; NULL: no report has come */
};

/*
 * stn_hosts_report: node @from has reported. STN_NO_MEMORY.
 * stn_hosts_target: the node to which the set of node @from is to move now, or
 * STN_NOBODY.
 * stn_hosts_moving: it has been told to. stn_hosts_moved: it has left.
 * stn_hosts_forget: forgets all nodes.
 */
STN_CHECKED enum stn_err
stn_hosts_report(struct stn_hosts *hosts, uint32_t from,
		 const struct stn_hector_report *report, uint64_t now);
uint32_t stn_hosts_target(const struct stn_hosts *hosts, uint32_t from);
void stn_hosts_moving(struct stn_hosts *hosts, uint32_t from, uint32_t to);
void stn_hosts_moved(struct stn_hosts *hosts, uint32_t from, uint32_t to,
		     uint32_t set);
void stn_hosts_forget(struct stn_hosts *hosts);

#endif
