/*
 * suspicions.c: what the launcher does when nodes miss others. The sequencer's
 * host notes which nodes are fenced, and ends none.
 */
#include <stdlib.h>
#include <string.h>

#include "launch/run/launch_fence.h"
#include "launch/run/launch_late_private.h"
#include "launch/run/launch_membership.h"
#include "tests/tap.h"
#include "transport/peers.h"

#define NODES 3

static bool fenced[NODES];

static void
note_fence(void *arg, uint32_t rank)
{
	(void)arg;
	fenced[rank] = true;
}

/* A run in which the membership has begun. */
static void
begin(struct launch *launch)
{
	memset(fenced, 0, sizeof(fenced));
	*launch = (struct launch){ .ranks = NODES,
				   .processes = NODES,
				   .watching = NODES,
				   .survives = true,
				   .topology = { .nodes = NODES,
						 .clusters = 1 } };
	if (launch_fence_init(launch) ||
	    stn_sequencer_init(
		    &launch->sequencer, &launch->topology,
		    (struct stn_sequencer_host){ .fence = note_fence }))
		abort();
}

static void
end(struct launch *launch)
{
	launch_membership_fini(launch);
}

/* Node @from says that it misses node @rank. */
static bool
miss(struct launch *launch, enum stn_wireup_frame_type type, uint32_t from,
     uint32_t rank)
{
	const struct stn_wireup_frame frame = { { type, from, sizeof(rank) },
						(const unsigned char *)&rank };

	return !launch_membership_received(launch, &frame);
}

/* Node 1 says how it has lost node 2. Is this reason kept for a message? */
static bool
keeps(const char *how, bool silent, const char *text)
{
	struct launch launch;
	const struct launch_fence *fence;
	uint32_t body[32] = { 2 };
	const struct stn_wireup_frame frame = {
		{ STN_WIREUP_SUSPECT, 1, (uint32_t)(sizeof(2u) + strlen(how)) },
		(const unsigned char *)body
	};
	bool kept;

	memcpy(body + 1, how, strlen(how));
	begin(&launch);
	fence = &launch.fences[2];
	kept = !launch_membership_received(&launch, &frame) && fenced[2] &&
	       fence->silent == silent && !strcmp(fence->how, text) &&
	       fence->by == (*text ? 1 : 0) &&
	       launch_fence_tell(&launch, 2, "") == (*text != '\0');
	end(&launch);
	return kept;
}

static void
test_reasons(void)
{
	tap_ok(keeps(STN_PEERS_SILENT "2.0 s", true, "2.0 s"),
	       "the launcher says that a node was silent");
	tap_ok(keeps(STN_PEERS_NO_MEMORY, false, STN_PEERS_NO_MEMORY),
	       "or that another one has no memory for messages to it");
	tap_ok(keeps("its process has ended", false, ""),
	       "but not what a node says of one that has died");
}

static void
test_mutual(enum stn_wireup_frame_type type, const char *name)
{
	struct launch launch;

	begin(&launch);
	tap_ok(miss(&launch, STN_WIREUP_SUSPECT, 0, 1) && fenced[1],
	       "a node is fenced that another one misses");
	tap_ok(miss(&launch, type, 1, 0) && !fenced[0],
	       "its own %s comes too late", name);
	tap_ok(miss(&launch, type, 0, 2) && fenced[2], "others count still");
	end(&launch);
}

/* A run of two nodes, connected to a third one, which can join now. */
static void
begin_late(struct launch *launch)
{
	begin(launch);
	launch->processes = launch->watching = 2;
	stn_sequencer_fini(&launch->sequencer);
	if (stn_topology_reserve(&launch->topology, 2, 1) ||
	    stn_sequencer_init(
		    &launch->sequencer, &launch->topology,
		    (struct stn_sequencer_host){ .fence = note_fence }) ||
	    stn_wireup_server_init(&launch->server, 2, NULL, NULL) ||
	    launch_late_init(launch))
		abort();
	launch->late->busy = launch->late->told = true;
	launch->late->nodes[0].asked = true;
	launch->late->nodes[0].state = LATE_READY;
}

/* Lets nodes join. Has the new node? */
static bool
has_joined(struct launch *launch)
{
	bool joined;

	launch_late_check(launch);
	joined = stn_members_has(&launch->sequencer.members, 2);
	launch_late_fini(launch);
	stn_wireup_server_fini(&launch->server);
	end(launch);
	stn_topology_fini(&launch->topology);
	return joined;
}

/* Node @from sends that it misses @rank. Is that about a node that joins? */
static bool
miss_late(struct launch *launch, uint32_t from, uint32_t rank)
{
	const struct stn_wireup_frame frame = { { STN_WIREUP_SUSPECT, from,
						  sizeof(rank) },
						(const unsigned char *)&rank };

	return launch_late_received(launch, &frame);
}

static void
test_late(void)
{
	struct launch launch;

	begin_late(&launch);
	tap_ok(has_joined(&launch), "a node joins");
	begin_late(&launch);
	tap_ok(miss_late(&launch, 0, 2) && !has_joined(&launch) && !fenced[0],
	       "not a node that another one has lost");
	begin_late(&launch);
	tap_ok(miss_late(&launch, 2, 1) && !has_joined(&launch) && !fenced[1],
	       "nor one that has lost another one");
	begin_late(&launch);
	tap_ok(miss_late(&launch, 2, 1) &&
		       (stn_sequencer_gone(&launch.sequencer, 1, STN_DIED),
			has_joined(&launch)),
	       "unless that has died");
	begin_late(&launch);
	tap_ok(miss(&launch, STN_WIREUP_SUSPECT, 1, 0) &&
		       !miss_late(&launch, 0, 2) && has_joined(&launch),
	       "or is being fenced itself");
}

int
main(void)
{
	tap_begin();
	test_mutual(STN_WIREUP_SUSPECT, "SUSPECT");
	test_mutual(STN_WIREUP_MISS, "MISS");
	test_late();
	test_reasons();
	return tap_end();
}
