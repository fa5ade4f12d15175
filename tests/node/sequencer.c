/*
 * sequencer.c: the members of a run, and the sequencer, without nodes: the test
 * is the sequencer's host.
 */
#include <stdlib.h>
#include <string.h>

#include "node/sequencer.h"
#include "tests/tap.h"

#define NODES 200
#define CLUSTERS 3 /* of 67, 67 and 66 nodes */

static const struct stn_topology topology = { .nodes = NODES,
					      .clusters = CLUSTERS };

static bool
counts_are(const struct stn_members *members, uint32_t living, uint32_t root,
	   uint32_t clusters)
{
	return members->living == living && members->root == root &&
	       members->clusters == clusters;
}

static void
test_members(void)
{
	struct stn_members members;

	if (stn_members_init(&members, &topology))
		abort();
	tap_ok(counts_are(&members, NODES, 0, CLUSTERS),
	       "all nodes live at first");
	stn_members_remove(&members, 0);
	stn_members_remove(&members, 0);
	stn_members_remove(&members, 1);
	tap_ok(counts_are(&members, NODES - 2, 2, CLUSTERS),
	       "the root is the lowest rank that lives; a node dies once");
	tap_ok(!stn_members_has(&members, 1) && stn_members_has(&members, 2),
	       "dead nodes are no members");
	stn_members_remove(&members, 64);
	tap_ok(stn_members_number(&members, 66) == 63 &&
		       stn_members_at(&members, 0, 63) == 66 &&
		       stn_members_at(&members, 0, 64) == STN_NOBODY,
	       "the living nodes of a cluster are numbered in order");
	for (uint32_t i = 0; i < 67; i++)
		stn_members_remove(&members, i);
	tap_ok(counts_are(&members, NODES - 67, 67, CLUSTERS - 1) &&
		       !members.in_cluster[0],
	       "a cluster can die");
	for (uint32_t i = 67; i < NODES; i++)
		stn_members_remove(&members, i);
	tap_ok(counts_are(&members, 0, STN_NOBODY, 0), "all nodes can die");
	stn_members_fini(&members);
}

/* What the host was asked to do last. */
struct host {
	uint32_t root, count, sent, fenced, fences;
	struct stn_change changes[2 * NODES];
};

static void
host_send(void *arg, uint32_t root, const struct stn_change *changes,
	  uint32_t count)
{
	struct host *host = arg;

	host->root = root;
	host->count = count;
	host->sent++;
	memcpy(host->changes, changes, count * sizeof(changes[0]));
}

static void
host_fence(void *arg, uint32_t rank)
{
	struct host *host = arg;

	host->fenced = rank;
	host->fences++;
}

static bool
view_is(const struct host *host, uint32_t sent, uint32_t root, uint32_t count,
	uint32_t last)
{
	return host->sent == sent && host->root == root &&
	       host->count == count && host->changes[count - 1].rank == last;
}

static void
test_sequencer(void)
{
	struct host host = { 0 };
	struct stn_sequencer sequencer;

	if (stn_sequencer_init(&sequencer, &topology,
			       (struct stn_sequencer_host){
				       host_send, host_fence, &host }))
		abort();
	stn_sequencer_issue(&sequencer);
	tap_ok(!host.sent, "without a change there is no view");
	stn_sequencer_gone(&sequencer, 7, STN_DIED);
	stn_sequencer_gone(&sequencer, 5, STN_DIED);
	stn_sequencer_gone(&sequencer, 7, STN_DIED);
	stn_sequencer_issue(&sequencer);
	stn_sequencer_issue(&sequencer);
	tap_ok(view_is(&host, 1, 0, 2, 5) && host.changes[0].rank == 7,
	       "one view has the deaths so far, each once and in order");
	stn_sequencer_suspect(&sequencer, 3);
	stn_sequencer_suspect(&sequencer, 3);
	stn_sequencer_suspect(&sequencer, 5);
	tap_ok(host.fences == 1 && host.fenced == 3 && host.sent == 1,
	       "a suspect is fenced once, and a dead node not at all");
	stn_sequencer_gone(&sequencer, 3, STN_DIED);
	stn_sequencer_issue(&sequencer);
	tap_ok(view_is(&host, 2, 0, 3, 3), "a fenced node is in the next view");
	stn_sequencer_gone(&sequencer, 0, STN_DIED);
	stn_sequencer_issue(&sequencer);
	tap_ok(view_is(&host, 3, 1, 4, 0),
	       "if the root dies, its successor gets all changes");
	stn_sequencer_leave(&sequencer, 9);
	stn_sequencer_leave(&sequencer, 9);
	stn_sequencer_leave(&sequencer, 0);
	stn_sequencer_issue(&sequencer);
	tap_ok(view_is(&host, 4, 1, 5, 9) &&
		       host.changes[4].what == STN_LEAVING &&
		       sequencer.members.living == NODES - 4 &&
		       sequencer.members.leavers == 1 &&
		       !stn_members_stays(&sequencer.members, 9),
	       "a node is told to leave once, and lives on");
	stn_sequencer_gone(&sequencer, 9, STN_LEFT);
	stn_sequencer_issue(&sequencer);
	tap_ok(view_is(&host, 5, 1, 6, 9) && host.changes[5].what == STN_LEFT &&
		       !sequencer.members.leavers &&
		       stn_changes_valid(host.changes, 6, NODES),
	       "until it has left");
	stn_sequencer_applied(&sequencer, 3);
	stn_sequencer_applied(&sequencer, 99);
	stn_sequencer_applied(&sequencer, 2);
	tap_ok(sequencer.applied == 3,
	       "only known and newer views are applied");
	stn_sequencer_fini(&sequencer);
}

/* The first sequencer is lost: another one continues from its last view. */
static void
test_resume(void)
{
	const struct stn_change known[] = { { 3, STN_DIED }, { 0, STN_DIED } };
	struct stn_sequencer sequencer;
	struct host host = { 0 };

	if (stn_sequencer_init(&sequencer, &topology,
			       (struct stn_sequencer_host){
				       host_send, host_fence, &host }))
		abort();
	stn_sequencer_gone(&sequencer, 9, STN_DIED);
	stn_sequencer_issue(&sequencer);
	if (stn_sequencer_resume(&sequencer, known, 2))
		abort();
	tap_ok(stn_members_has(&sequencer.members, 9),
	       "a change that the adopted view lacks has not happened");
	stn_sequencer_issue(&sequencer);
	tap_ok(view_is(&host, 2, 1, 2, 0) && host.changes[0].rank == 3,
	       "the adopted view is sent again");
	stn_sequencer_gone(&sequencer, 1, STN_DIED);
	if (stn_sequencer_resume(&sequencer, sequencer.changes,
				 sequencer.count))
		abort();
	stn_sequencer_issue(&sequencer);
	tap_ok(view_is(&host, 3, 2, 3, 1),
	       "a sequencer can continue from its own view");
	stn_sequencer_fini(&sequencer);
}

/* Nodes 3 to 5 of 6 are reserved, in two clusters of three. */
static void
reserve(struct stn_topology *few)
{
	*few = (struct stn_topology){ .nodes = 6, .clusters = 2 };
	if (stn_topology_reserve(few, 3, 3))
		abort();
}

static void
test_joins(void)
{
	struct stn_members members;
	struct stn_topology few;

	reserve(&few);
	if (stn_members_init(&members, &few))
		abort();
	tap_ok(counts_are(&members, 3, 0, 1) && members.begun == 3 &&
		       !stn_members_has(&members, 3) &&
		       !stn_members_lost(&members, 3),
	       "a reserved rank does not live, and is not lost");
	stn_members_remove(&members, 4);
	tap_ok(stn_members_add(&members, 4) && stn_members_has(&members, 4) &&
		       counts_are(&members, 4, 0, 2) && members.begun == 4,
	       "it can join, and its cluster with it");
	tap_ok(!stn_members_add(&members, 4) && !stn_members_add(&members, 1),
	       "only a reserved rank joins, and only once");
	stn_members_remove(&members, 4);
	tap_ok(!stn_members_add(&members, 4) && stn_members_lost(&members, 4),
	       "a node that has died is not replaced");
	if (!stn_members_add(&members, 5))
		abort();
	for (uint32_t i = 0; i < 3; i++)
		stn_members_remove(&members, i);
	tap_ok(counts_are(&members, 1, 5, 1) && !stn_members_add(&members, 3),
	       "no rank below the root joins");
	stn_members_fini(&members);
	stn_topology_fini(&few);
}

static void
test_changes(void)
{
	static const struct stn_change good[] = {
		{ 1, STN_DIED }, { 2, STN_JOINED }, { 2, STN_LEFT }
	};
	static const struct stn_change twice[] = { { 2, STN_JOINED },
						   { 2, STN_JOINED } };
	static const struct stn_change again[] = { { 2, STN_DIED },
						   { 2, STN_JOINED } };
	static const struct stn_change unknown[] = { { 2, STN_JOINED + 1 } };

	tap_ok(stn_changes_valid(good, 3, 3) && !stn_changes_valid(good, 3, 2),
	       "a node joins before it leaves");
	tap_ok(!stn_changes_valid(twice, 2, 3) &&
		       !stn_changes_valid(again, 2, 3) &&
		       !stn_changes_valid(unknown, 1, 3),
	       "lists that no sequencer makes are malformed");
}

static void
test_joining(void)
{
	struct host host = { 0 };
	struct stn_sequencer sequencer;
	struct stn_topology few;

	reserve(&few);
	if (stn_sequencer_init(&sequencer, &few,
			       (struct stn_sequencer_host){
				       host_send, host_fence, &host }))
		abort();
	stn_sequencer_suspect(&sequencer, 4);
	tap_ok(!host.fences, "a node that has not joined is not fenced");
	tap_ok(stn_sequencer_joined(&sequencer, 4) &&
		       !stn_sequencer_joined(&sequencer, 4) &&
		       !stn_sequencer_joined(&sequencer, 0),
	       "the sequencer lets a node join once");
	stn_sequencer_gone(&sequencer, 4, STN_DIED);
	stn_sequencer_issue(&sequencer);
	tap_ok(view_is(&host, 1, 0, 2, 4) &&
		       host.changes[0].what == STN_JOINED &&
		       host.changes[1].what == STN_DIED &&
		       stn_changes_valid(host.changes, 2, 6),
	       "a node that joins and dies at once has two changes in a view");
	stn_sequencer_fini(&sequencer);
	stn_topology_fini(&few);
}

int
main(void)
{
	tap_begin();
	test_members();
	test_sequencer();
	test_resume();
	test_joins();
	test_changes();
	test_joining();
	return tap_end();
}
