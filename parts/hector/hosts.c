#include "parts/hector/hosts.h"

#include <stdlib.h>

#define BETTER 1.2 /* a node must give so many times as much to be moved to */

enum stn_err
stn_hosts_report(struct stn_hosts *hosts, uint32_t from,
		 const struct stn_hector_report *report, uint64_t now)
{
	struct stn_hosts_host *host;

	if (!hosts->of)
		hosts->of =
			calloc(hosts->topology->nodes, sizeof(hosts->of[0]));
	if (!hosts->of)
		return STN_NO_MEMORY;
	host = &hosts->of[from];
	if (report->share >= hosts->keeps || report->set == STN_NOBODY)
		host->lost_ns = 0;
	else if (host->known)
		host->lost_ns +=
			(1 - report->share) * (double)(now - host->seen_ns);
	host->known = true;
	host->promised &= report->set == STN_NOBODY;
	host->seen_ns = now;
	host->report = *report;
	return STN_OK;
}

/* The link from a node to another, without what else uses it. */
static struct stn_link
link_between(const struct stn_hosts *hosts, uint32_t from, uint32_t to,
	     uint64_t now)
{
	const struct stn_topology *topology = hosts->topology;
	uint32_t a = stn_cluster_of(topology, from);
	uint32_t b = stn_cluster_of(topology, to);
	struct stn_profile profile;
	struct stn_link link;

	if (a == b)
		return hosts->lan;
	profile = stn_topology_profile(topology,
				       stn_topology_link(topology, a, b));
	link = *stn_profile_at(&profile, now);
	return stn_link_none(&link) ? hosts->lan : link;
}

static double
cost_of_moving(const struct stn_hosts *hosts, uint32_t from, uint32_t to)
{
	const struct stn_hosts_host *host = &hosts->of[from];
	struct stn_link link = link_between(hosts, from, to, host->seen_ns);
	double rate = (double)link.bytes_per_s;

	return (double)link.latency_ns +
	       (rate > 0 ? (double)host->report.bytes * 1e9 / rate : 0);
}

/* Whether node @to is spare, and can take the set of node @from. */
static bool
can_take(const struct stn_hosts *hosts, uint32_t from, uint32_t to)
{
	const struct stn_hosts_host *a = &hosts->of[from], *b = &hosts->of[to];

	return b->known && !b->promised && !b->moving &&
	       b->report.set == STN_NOBODY && !b->report.parts &&
	       stn_members_stays(hosts->members, to) &&
	       b->report.share >= hosts->keeps &&
	       b->report.share >= a->report.share * BETTER &&
	       (!b->report.unused || b->report.unused > a->report.bytes);
}

/* A spare node, and what speaks for it. */
struct spare {
	uint32_t rank;
	double share;
	bool near; /* in the cluster of the main partner */
	double cost;
};

static bool
is_better_spare(const struct spare *a, const struct spare *b)
{
	if (a->share > b->share + 0.1 || b->share > a->share + 0.1)
		return a->share > b->share;
	if (a->near != b->near)
		return a->near;
	return a->cost < b->cost;
}

static struct spare
rate_spare(const struct stn_hosts *hosts, uint32_t from, uint32_t to)
{
	uint32_t partner = hosts->of[from].report.partners[0];

	return (struct spare){
		.rank = to,
		.share = hosts->of[to].report.share,
		.near = partner != STN_NOBODY &&
			stn_cluster_of(hosts->topology, partner) ==
				stn_cluster_of(hosts->topology, to),
		.cost = hosts->links ? cost_of_moving(hosts, from, to) : 0,
	};
}

uint32_t
stn_hosts_target(const struct stn_hosts *hosts, uint32_t from)
{
	const struct stn_hosts_host *host = &hosts->of[from];
	struct spare best = { .rank = STN_NOBODY };

	if (host->moving || host->report.set == STN_NOBODY ||
	    !host->report.parts || host->report.share >= hosts->keeps ||
	    !stn_members_stays(hosts->members, from))
		return STN_NOBODY;
	for (uint32_t i = 0; i < hosts->topology->nodes; i++) {
		struct spare spare;

		if (i == from || !can_take(hosts, from, i))
			continue;
		spare = rate_spare(hosts, from, i);
		if (best.rank == STN_NOBODY || is_better_spare(&spare, &best))
			best = spare;
	}
	return best.rank == STN_NOBODY || host->lost_ns < best.cost ? STN_NOBODY
								    : best.rank;
}

void
stn_hosts_moving(struct stn_hosts *hosts, uint32_t from, uint32_t to)
{
	hosts->of[from].moving = true;
	hosts->of[to].promised = true;
}

void
stn_hosts_moved(struct stn_hosts *hosts, uint32_t from, uint32_t to,
		uint32_t set)
{
	if (!hosts->of)
		return;
	/* The new node's promise ends when it reports that it has the set: a
	 * report that it sent before may still come.
	 */
	hosts->of[from].moving = false;
	hosts->of[from].promised = false;
	hosts->of[from].report.set = STN_NOBODY;
	hosts->of[from].report.parts = 0;
	hosts->of[from].lost_ns = 0;
	hosts->of[to].report.set = set;
}

void
stn_hosts_forget(struct stn_hosts *hosts)
{
	free(hosts->of);
	hosts->of = NULL;
}
