/*
 * gateway_suspicions.c: what the gateway of the second of two clusters does
 * when its nodes, 2 and 3 of the run, miss others, or others miss them. The
 * test notes which of them are fenced, and ends none.
 */
#include <stdlib.h>
#include <string.h>

#include "launch/gateway/gateway_private.h"
#include "tests/tap.h"

#define FIRST 2 /* rank of the cluster's first node */

static struct gateway gateway;
static struct own_node nodes[2];

static void
note_fence(struct gateway *called, uint32_t rank)
{
	(void)called;
	nodes[rank - FIRST].fenced = true;
}

static void
ignore_view(void *arg, uint32_t root, const struct stn_change *changes,
	    uint32_t count)
{
	(void)arg;
	(void)root;
	(void)changes;
	(void)count;
}

static void
ignore_fence(void *arg, uint32_t rank)
{
	(void)arg;
	(void)rank;
}

/* @joining  the cluster has not joined the run yet */
static void
begin(bool joining)
{
	static const struct membership_calls calls = { .fence = note_fence };
	static struct stn_gateway_options options = { .cluster = "b",
						      .clusters = 1 };
	static struct cluster clusters[2];
	static uint32_t first[] = { 0, FIRST, FIRST + 2 };
	static uint64_t begins[] = { 0, FIRST, FIRST + 2 };
	struct membership *membership = &gateway.membership;

	memset(nodes, 0, sizeof(nodes));
	gateway = (struct gateway){ .options = &options,
				    .nodes.list = nodes,
				    .members.size = 2,
				    .membership = { .calls = &calls,
						    .begun = !joining },
				    .late = { .max_nodes = 4,
					      .next = 1,
					      .ours = true,
					      .joining = joining },
				    .clusters = clusters,
				    .known = 2,
				    .mine = 1,
				    .hub.first = first };
	membership->topology = (struct stn_topology){ .nodes = 4,
						      .clusters = 2,
						      .first = begins };
	if (stn_sequencer_init(&membership->sequencer, &membership->topology,
			       (struct stn_sequencer_host){
				       ignore_view, ignore_fence, NULL }))
		abort();
}

static void
end(void)
{
	gateway_say_rest(&gateway);
	stn_sequencer_fini(&gateway.membership.sequencer);
	stn_bytes_fini(&gateway.nodes.suspicions);
	stn_bytes_fini(&gateway.late.joined);
}

/* Node @by of the run, one of ours, misses another one. */
static void
miss(uint32_t by, uint32_t suspect)
{
	if (gateway_suspicion_take(&gateway, by - FIRST, suspect))
		abort();
}

/* Are these of our nodes fenced, and no others? */
static bool
are_fenced(bool two, bool three)
{
	return nodes[0].fenced == two && nodes[1].fenced == three;
}

/* The view comes with which the cluster joins. */
static void
join(void)
{
	gateway_late_joined(&gateway);
	gateway_nodes_attend(&gateway, 0);
}

static void
test_mutual(void)
{
	begin(false);
	miss(2, 3);
	tap_ok(are_fenced(false, true), "a node is fenced that another misses");
	miss(3, 2);
	tap_ok(are_fenced(false, true), "what it suspects comes too late");
	end();
}

static void
test_joining(void)
{
	begin(true);
	miss(2, 0);
	gateway_nodes_attend(&gateway, 0);
	tap_ok(are_fenced(false, false), "before a cluster joins, none is");
	join();
	tap_ok(are_fenced(true, false),
	       "then a node is fenced that has lost a living one");
	end();

	begin(true);
	miss(2, 0);
	stn_sequencer_gone(&gateway.membership.sequencer, 0, STN_DIED);
	join();
	tap_ok(are_fenced(false, false), "not one that has lost a dead one");
	end();

	begin(true);
	miss(2, 3);
	miss(3, 2);
	join();
	tap_ok(are_fenced(true, false), "of two that lose each other, one");
	end();

	begin(true);
	gateway_nodes_fence(&gateway, 3);
	join();
	tap_ok(are_fenced(false, true),
	       "and one that another cluster has lost");
	end();
}

int
main(void)
{
	tap_begin();
	test_mutual();
	test_joining();
	return tap_end();
}
