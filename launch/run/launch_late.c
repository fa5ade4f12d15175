/*
 * launch_late.c: requests for nodes that join, from the first to the last step.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "launch/run/launch_late_cluster.h"
#include "launch/run/launch_late_private.h"
#include "launch/run/launch_membership.h"
#include "launch/run/launch_wait.h"

enum stn_err
launch_late_init(struct launch *launch)
{
	uint32_t ranks = launch->ranks, first = launch->processes;
	struct launch_late *late;

	if (!launch->survives || ranks == first)
		return STN_OK;
	late = calloc(1, sizeof(*late) +
				 (ranks - first) * sizeof(late->nodes[0]));
	launch->late = late;
	if (!late || stn_wireup_server_reserve(&launch->server, ranks))
		return STN_NO_MEMORY;
	late->first = first;
	late->owed = calloc(ranks, sizeof(late->owed[0]));
	return late->owed ? STN_OK : STN_NO_MEMORY;
}

void
launch_late_fini(struct launch *launch)
{
	struct launch_late *late = launch->late;

	if (!late)
		return;
	for (uint32_t i = 0; i < launch->ranks - launch->processes; i++) {
		stn_bytes_fini(&late->nodes[i].card);
		stn_bytes_fini(&late->nodes[i].missed);
	}
	for (uint32_t i = 0; i < late->round_count; i++)
		stn_bytes_fini(&late->rounds[i]);
	free(late->rounds);
	free(late->owed);
	free(late);
	launch->late = NULL;
}

void
launch_late_keep(struct launch *launch, const void *body, size_t size)
{
	struct launch_late *late = launch->late;
	struct stn_bytes *rounds;

	if (!late)
		return;
	rounds = reallocarray(late->rounds, late->round_count + 1,
			      sizeof(rounds[0]));
	if (rounds) {
		late->rounds = rounds;
		rounds[late->round_count] = (struct stn_bytes){ NULL };
	}
	if (!rounds ||
	    !stn_bytes_add(&rounds[late->round_count++], body, size))
		launch_complain(launch, "out of memory for cards");
}

void
late_begin(struct launch *launch)
{
	struct launch_late *late = launch->late;

	clock_gettime(CLOCK_MONOTONIC, &late->deadline);
	late->deadline.tv_sec += LAUNCH_JOIN_SECONDS;
	for (uint32_t i = late->first; i < launch->ranks; i++)
		late_node_at(launch, i)->asked = false;
	late->told = false;
	late->reason[0] = '\0';
}

/* Starts the nodes that were asked for, on this host. */
static void
late_start(struct launch *launch)
{
	struct launch_late *late = launch->late;
	struct stn_why why;
	uint32_t rank;

	late_begin(launch);
	for (; late->wanted; late->wanted--) {
		if (!late_take(launch, late->cluster, 1, NULL, &rank))
			snprintf(late->reason, sizeof(late->reason),
				 "the run has no room for more nodes");
		else if (stn_process_group_add(&launch->group, rank, &why))
			late_give_up(launch, rank, "%s", why.text);
	}
}

bool
late_accept(struct launch *launch, uint64_t request)
{
	const char *text = NULL;

	if (!launch->processes)
		text = "the run has not begun yet; try again";
	else if (!launch->late)
		text = "no node can join this run; start it with --max-nodes";
	else if (launch->late->busy)
		text = "other nodes are joining this run; try again";
	else if (launch->killed || launch->server.finished)
		text = "the run is ending";
	if (text)
		stn_control_end(launch->control, request, text);
	return !text;
}

void
launch_late_asked(struct launch *launch, uint64_t request, uint64_t count,
		  const char *cluster)
{
	struct launch_late *late = launch->late;
	struct stn_why why;
	enum stn_err err = STN_OK;

	if (!late_accept(launch, request))
		return;
	late->cluster = STN_NOBODY;
	if (launch->hosts.count)
		err = stn_because(&why, STN_INVALID,
				  "this run has its nodes on other hosts; name "
				  "hosts (sateen add --hosts)");
	else if (cluster)
		err = late_cluster(launch, cluster, &late->cluster, &why);
	if (!err && count > late_room(launch, late->cluster))
		err = stn_because(&why, STN_INVALID,
				  "this %s has room for %" PRIu32
				  " more nodes; "
				  "start the run with a larger --max-nodes",
				  cluster ? "cluster" : "run",
				  late_room(launch, late->cluster));
	if (err) {
		stn_control_end(launch->control, request, why.text);
		return;
	}
	late->busy = true;
	late->request = request;
	late->wanted = (uint32_t)count;
}

/* Number of nodes of the request that are in this state. */
static uint32_t
late_count(const struct launch *launch, enum late_state state)
{
	uint32_t count = 0;

	for (uint32_t i = launch->late->first; i < launch->ranks; i++)
		count += late_node_at(launch, i)->asked &&
			 late_node_at(launch, i)->state == state;
	return count;
}

static bool
late_takes_part(const struct launch *launch, uint32_t rank)
{
	const struct late_node *node = late_node_of(launch, rank);

	return node ? node->state == LATE_READY
		    : stn_members_has(&launch->sequencer.members, rank);
}

/* Tells all nodes the cards of those that join, or have joined. */
static void
late_tell_peers(struct launch *launch)
{
	struct launch_late *late = launch->late;
	struct stn_bytes body = { NULL };
	bool added = true;

	for (uint32_t i = late->first; added && i < launch->ranks; i++) {
		struct stn_bytes *card = &late_node_at(launch, i)->card;
		uint32_t head[2] = { i, (uint32_t)stn_bytes_count(card) };

		if (late_takes_part(launch, i))
			added = stn_bytes_add(&body, head, sizeof(head)) &&
				stn_bytes_add(&body, stn_bytes_front(card),
					      head[1]);
	}
	if (!added) {
		launch_complain(launch, "out of memory for cards");
		launch_kill(launch);
	}
	for (uint32_t i = 0; added && i < launch->ranks; i++)
		late->owed[i] += late_takes_part(launch, i);
	late->told = true;
	if (added)
		launch->server.send_all(launch->server.arg, STN_WIREUP_PEERS,
					stn_bytes_front(&body),
					stn_bytes_count(&body));
	stn_bytes_fini(&body);
}

/* A node that lives and that the new node has lost, or STN_NOBODY. */
static uint32_t
late_misses(const struct launch *launch, const struct late_node *node)
{
	const unsigned char *at = stn_bytes_front(&node->missed);
	size_t count = stn_bytes_count(&node->missed) / sizeof(uint32_t);

	for (size_t i = 0; i < count; i++) {
		uint32_t rank;

		memcpy(&rank, at + i * sizeof(rank), sizeof(rank));
		if (stn_members_has(&launch->sequencer.members, rank) &&
		    !stn_sequencer_suspects(&launch->sequencer, rank))
			return rank;
	}
	return STN_NOBODY;
}

/*
 * All nodes are connected to the new ones: these join, but not one that has
 * lost a node since.
 */
static void
late_join(struct launch *launch)
{
	for (uint32_t i = launch->late->first; i < launch->ranks; i++) {
		struct late_node *node = late_node_at(launch, i);
		uint32_t missed;

		if (node->state != LATE_READY)
			continue;
		missed = late_misses(launch, node);
		if (missed != STN_NOBODY) {
			late_give_up(launch, i, "it has lost node %" PRIu32,
				     missed);
			continue;
		}
		if (!stn_sequencer_joined(&launch->sequencer, i)) {
			late_give_up(launch, i, "a node of a higher rank has "
						"become the root");
			continue;
		}
		node->state = LATE_JOINED;
		stn_wireup_server_joined(&launch->server, i);
	}
}

/* The request is done: all its nodes have joined, or were given up. */
static void
late_end(struct launch *launch)
{
	struct launch_late *late = launch->late;
	uint32_t joined = late_count(launch, LATE_JOINED);
	char text[600], where[300];

	late->busy = false;
	late_describe(launch, where, sizeof(where));
	if (joined)
		launch_say(launch,
			   "%" PRIu32 " node%s joined%s; the run has "
			   "%" PRIu32 " now",
			   joined, joined == 1 ? " has" : "s have", where,
			   launch->sequencer.members.living);
	if (!*late->reason) {
		stn_control_end(launch->control, late->request, NULL);
		return;
	}
	snprintf(text, sizeof(text),
		 "%" PRIu32 " node%s joined, and others can't: %s", joined,
		 joined == 1 ? " has" : "s have", late->reason);
	stn_control_end(launch->control, late->request, text);
}

/* Does a node that takes part still owe MET? */
static bool
late_owed(const struct launch *launch)
{
	for (uint32_t i = 0; i < launch->ranks; i++)
		if (launch->late->owed[i] && late_takes_part(launch, i))
			return true;
	return false;
}

static void
late_give_up_all(struct launch *launch, const char *reason)
{
	struct launch_late *late = launch->late;

	late->wanted = 0;
	late->calling = late->measuring = false;
	stn_agents_call_no_more(&launch->agents);
	for (uint32_t i = 0; i < launch->agents.count; i++)
		if (!launch->agents.list[i].count)
			stn_agents_dismiss(&launch->agents, i);
	for (uint32_t i = late->first; i < launch->ranks; i++)
		if (late_node_at(launch, i)->state == LATE_STARTED ||
		    late_node_at(launch, i)->state == LATE_READY)
			late_give_up(launch, i, "%s", reason);
	late_end(launch);
}

void
launch_late_check(struct launch *launch)
{
	struct launch_late *late = launch->late;

	if (!late || !late->busy)
		return;
	if (launch->killed || launch->server.finished) {
		late_give_up_all(launch, "the run is ending");
		return;
	}
	if (late->wanted && launch_membership_begun(launch))
		late_start(launch);
	if (late->wanted || late->calling || late_count(launch, LATE_STARTED))
		return;
	if (!late->told && late_count(launch, LATE_READY))
		late_tell_peers(launch);
	if (late_count(launch, LATE_READY) && late_owed(launch))
		return;
	late_join(launch);
	late_end(launch);
}

/* The time until the new nodes' deadline; -1 if there is none. */
static int
late_milliseconds_left(const struct launch_late *late)
{
	struct timespec now;
	int64_t left;

	if (!late || !late->busy || late->wanted)
		return -1;
	clock_gettime(CLOCK_MONOTONIC, &now);
	left = (late->deadline.tv_sec - now.tv_sec) * 1000 +
	       (late->deadline.tv_nsec - now.tv_nsec) / 1000000;
	return left > 0 ? (int)left : 0;
}

int
launch_late_milliseconds_left(const struct launch *launch)
{
	int ours = late_milliseconds_left(launch->late);
	int all = launch_milliseconds_left(launch);

	return ours < 0 || (all >= 0 && all < ours) ? all : ours;
}

bool
launch_late_timed_out(struct launch *launch)
{
	if (late_milliseconds_left(launch->late) != 0)
		return false;
	late_give_up_all(launch, "nodes have not answered in time");
	return true;
}
