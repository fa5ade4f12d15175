/*
 * suspicions.c: what the launcher does when nodes miss others. The sequencer's
 * host notes which nodes are fenced, and ends none.
 */
#include <stdlib.h>
#include <string.h>

#include "launch/run/launch_fence.h"
#include "launch/run/launch_membership.h"
#include "tests/tap.h"

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
	const struct stn_wireup_frame frame = {
		{ type, from, sizeof(rank) }, (const unsigned char *)&rank
	};

	return !launch_membership_received(launch, &frame);
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

int
main(void)
{
	tap_begin();
	test_mutual(STN_WIREUP_SUSPECT, "SUSPECT");
	test_mutual(STN_WIREUP_MISS, "MISS");
	return tap_end();
}
