/*
 * hector.c: in which order the master allocator deals with messages, and which
 * resident set it moves where.
 */
#include <stdlib.h>

#include "parts/hector/desk.h"
#include "parts/hector/hosts.h"
#include "tests/tap.h"

#define MB 1000000u

static struct stn_desk desk;

static void
put(uint8_t kind, bool urgent, uint64_t now)
{
	const struct stn_message message = { .kind = kind, .header = "" };

	if (!stn_desk_put(&desk, &message, urgent, now))
		exit(EXIT_FAILURE);
}

/* The kind of the message that has been dealt with; 0: none. */
static uint8_t
take(uint64_t now)
{
	uint64_t again;
	struct stn_desk_item *item = stn_desk_take(&desk, now, &again);
	uint8_t kind = item ? item->kind : 0;

	free(item);
	return kind;
}

static void
test_desk(void)
{
	unsigned urgent = 0;

	stn_desk_init(&desk, 10, false);
	put(1, false, 0);
	put(2, true, 0);
	tap_ok(!take(0) && !take(9) && take(10) == 1 && !take(10) &&
		       take(20) == 2 && !take(99),
	       "without a channel: in the order of arrival, one at a time");
	stn_desk_fini(&desk);
	stn_desk_init(&desk, 0, true);
	put(1, false, 0);
	for (int i = 0; i < 20; i++)
		put(2, true, 0);
	while (take(0) == 2)
		urgent++;
	tap_ok(urgent > 1 && urgent < 20,
	       "with a channel: urgent ones first, but others do not starve");
	stn_desk_fini(&desk);
}

static struct stn_hosts hosts;
static uint32_t partner = 1; /* of all nodes */

static void
report(uint32_t rank, uint32_t set, double share, uint64_t now)
{
	const struct stn_hector_report said = {
		.set = set,
		.parts = set != STN_NOBODY,
		.bytes = set != STN_NOBODY ? 100 * MB : 0,
		.share = share,
		.partners = { partner, STN_NOBODY, STN_NOBODY },
	};

	if (stn_hosts_report(&hosts, rank, &said, now * 1000000000))
		exit(EXIT_FAILURE);
}

/* Nodes 0 and 1 have sets; 2 to 5 are spare. 0, 1 and 2 are one cluster. */
static void
test_hosts(void)
{
	struct stn_topology topology = {
		.nodes = 6,
		.clusters = 2,
		.wan = { .latency_ns = 1000, .bytes_per_s = 10 * MB },
	};
	struct stn_members members;

	if (stn_members_init(&members, &topology))
		exit(EXIT_FAILURE);
	hosts = (struct stn_hosts){ .topology = &topology,
				    .members = &members,
				    .lan = { 1000, 25 * MB, 0 },
				    .keeps = 0.75,
				    .links = true };
	for (uint32_t i = 2; i < 6; i++)
		report(i, STN_NOBODY, i == 2 ? 0.3 : 1, 0);
	report(1, 1, 0.8, 0);
	report(1, 1, 0.8, 100);
	tap_ok(stn_hosts_target(&hosts, 1) == STN_NOBODY,
	       "a set stays that keeps enough of its cores");
	report(0, 0, 0.5, 0);
	report(0, 0, 0.5, 19);
	tap_ok(stn_hosts_target(&hosts, 0) == STN_NOBODY,
	       "it stays until it has lost what moving costs: 10 s");
	report(0, 0, 0.5, 21);
	tap_ok(stn_hosts_target(&hosts, 0) == 3, "then it moves to a spare "
						 "node");
	stn_hosts_moving(&hosts, 0, 3);
	tap_ok(stn_hosts_target(&hosts, 0) == STN_NOBODY,
	       "a set that is moving is not moved again");
	report(1, 1, 0.1, 101);
	report(1, 1, 0.1, 201);
	tap_ok(stn_hosts_target(&hosts, 1) == 4,
	       "another set to another spare node");
	report(2, STN_NOBODY, 1, 202);
	tap_ok(stn_hosts_target(&hosts, 1) == 2,
	       "or to one in the cluster of its partner, if that is free");
	stn_hosts_moved(&hosts, 0, 3, 0);
	report(3, STN_NOBODY, 1, 203);
	stn_members_remove(&members, 2);
	stn_members_remove(&members, 4);
	stn_members_remove(&members, 5);
	tap_ok(stn_hosts_target(&hosts, 1) == 0 ||
		       stn_hosts_target(&hosts, 1) == STN_NOBODY,
	       "a node stays promised until it reports the set");
	report(3, 0, 1, 204);
	report(0, STN_NOBODY, 1, 204);
	tap_ok(stn_hosts_target(&hosts, 1) == 0,
	       "a node whose set has left is spare when it is free again");
	stn_hosts_forget(&hosts);
	stn_members_fini(&members);
}

/* Node 1 has a set; 2 to 5 are spare. Links do not count. */
static void
test_spares(void)
{
	struct stn_topology topology = { .nodes = 6, .clusters = 2 };
	struct stn_members members;

	if (stn_members_init(&members, &topology))
		exit(EXIT_FAILURE);
	hosts = (struct stn_hosts){ .topology = &topology,
				    .members = &members,
				    .keeps = 0.75 };
	partner = 4;
	for (uint32_t i = 2; i < 6; i++)
		report(i, STN_NOBODY, i == 2 ? 0.3 : 1, 0);
	report(1, 1, 0.8, 1);
	tap_ok(stn_hosts_target(&hosts, 1) == STN_NOBODY,
	       "without links, too, a set stays that keeps enough");
	report(2, STN_NOBODY, 1, 1);
	report(1, 1, 0.1, 2);
	tap_ok(stn_hosts_target(&hosts, 1) == 3,
	       "the cluster of the partner counts, not the rank");
	report(2, STN_NOBODY, 0.3, 2);
	for (uint32_t i = 3; i < 6; i++)
		stn_members_remove(&members, i);
	tap_ok(stn_hosts_target(&hosts, 1) == STN_NOBODY,
	       "no set moves to a node that gives too little itself");
	stn_hosts_forget(&hosts);
	stn_members_fini(&members);
}

int
main(void)
{
	tap_begin();
	test_desk();
	test_hosts();
	test_spares();
	return tap_end();
}
