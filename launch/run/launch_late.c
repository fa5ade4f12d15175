#include "launch/run/launch_late.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "launch/config_check.h"
#include "launch/run/launch_membership.h"
#include "launch/run/launch_wait.h"

enum late_state { ABSENT, STARTED, READY, JOINED, GIVEN_UP };

struct late_node {
	enum late_state state;
	uint32_t rounds;       /* number of cards that it has shown */
	struct stn_bytes card; /* the last of them */
};

struct launch_late {
	uint32_t first; /* the lowest reserved rank */
	uint32_t next;	/* the rank of the next node to start */

	struct stn_bytes *rounds; /* the first nodes' CARDS of each round */
	uint32_t round_count;

	/* The request that is being carried out: */
	bool busy;
	uint64_t request; /* number, for the answer */
	uint32_t wanted;  /* nodes that are to be started yet */
	uint32_t begin;	  /* the rank of its first node */
	struct timespec deadline;
	bool told; /* PEERS has been sent */
	char reason[sizeof(((struct stn_why *)0)->text)]; /* of a failure */

	uint32_t *owed;		  /* MET frames that each node owes, by rank */
	struct late_node nodes[]; /* by rank, from @first on */
};

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
	late->first = late->next = first;
	late->owed = calloc(ranks, sizeof(late->owed[0]));
	return late->owed ? STN_OK : STN_NO_MEMORY;
}

void
launch_late_fini(struct launch *launch)
{
	struct launch_late *late = launch->late;

	if (!late)
		return;
	for (uint32_t i = 0; i < launch->ranks - launch->processes; i++)
		stn_bytes_fini(&late->nodes[i].card);
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

/* The node with this rank, if it is one that has not joined yet, or NULL. */
static struct late_node *
late_node_of(const struct launch *launch, uint32_t rank)
{
	struct launch_late *late = launch->late;
	struct late_node *node;

	if (!late || rank < late->first || rank >= launch->ranks)
		return NULL;
	node = &late->nodes[rank - late->first];
	return node->state == JOINED ? NULL : node;
}

static struct late_node *
late_node_at(const struct launch *launch, uint32_t rank)
{
	return &launch->late->nodes[rank - launch->late->first];
}

/* Gives a node up that has not joined. The user is told why. */
static void late_give_up(struct launch *launch, uint32_t rank,
			 const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void
late_give_up(struct launch *launch, uint32_t rank, const char *format, ...)
{
	struct launch_late *late = launch->late;
	struct late_node *node = late_node_at(launch, rank);
	va_list list;

	if (node->state == GIVEN_UP)
		return;
	va_start(list, format);
	vsnprintf(late->reason, sizeof(late->reason), format, list);
	va_end(list);
	node->state = GIVEN_UP;
	late->owed[rank] = 0;
	if (!launch->killed)
		fprintf(stderr,
			"sateen: node %" PRIu32 " can't join: %s; the run goes "
			"on without it\n",
			rank, late->reason);
	stn_process_group_kill_node(&launch->group, rank);
}

/* Starts the nodes that were asked for. */
static void
late_start(struct launch *launch)
{
	struct launch_late *late = launch->late;
	struct stn_why why;

	clock_gettime(CLOCK_MONOTONIC, &late->deadline);
	late->deadline.tv_sec += LAUNCH_JOIN_SECONDS;
	late->begin = late->next;
	late->told = false;
	late->reason[0] = '\0';
	for (; late->wanted; late->wanted--) {
		uint32_t rank = late->next++;

		late_node_at(launch, rank)->state = STARTED;
		if (stn_process_group_add(&launch->group, rank, &why))
			late_give_up(launch, rank, "%s", why.text);
	}
}

void
launch_late_asked(struct launch *launch, uint64_t request, uint64_t count)
{
	struct launch_late *late = launch->late;
	char text[200] = "";

	if (!late)
		snprintf(text, sizeof(text),
			 "no node can join this run; start it with --max-nodes "
			 "and --survive yes");
	else if (launch->hosts.count)
		snprintf(text, sizeof(text),
			 "this run has its nodes on other hosts, where no node "
			 "can join yet");
	else if (late->busy)
		snprintf(text, sizeof(text),
			 "other nodes are joining this run; try again");
	else if (launch->killed || launch->server.finished)
		snprintf(text, sizeof(text), "the run is ending");
	else if (count > launch->ranks - late->next)
		snprintf(text, sizeof(text),
			 "this run has room for %" PRIu32 " more nodes; start "
			 "it with a larger --max-nodes",
			 launch->ranks - late->next);
	if (*text) {
		stn_control_end(launch->control, request, text);
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

	for (uint32_t i = launch->late->begin; i < launch->late->next; i++)
		count += late_node_at(launch, i)->state == state;
	return count;
}

static bool
late_takes_part(const struct launch *launch, uint32_t rank)
{
	const struct late_node *node = late_node_of(launch, rank);

	return node ? node->state == READY
		    : stn_members_has(&launch->sequencer.members, rank);
}

/* Tells all nodes the cards of those that join, or have joined. */
static void
late_tell_peers(struct launch *launch)
{
	struct launch_late *late = launch->late;
	struct stn_bytes body = { NULL };
	bool added = true;

	for (uint32_t i = late->first; added && i < late->next; i++) {
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
	for (uint32_t i = 0; added && i < late->next; i++)
		late->owed[i] += late_takes_part(launch, i);
	late->told = true;
	if (added)
		launch->server.send_all(launch->server.arg, STN_WIREUP_PEERS,
					stn_bytes_front(&body),
					stn_bytes_count(&body));
	stn_bytes_fini(&body);
}

/* All nodes are connected to the new ones: these join. */
static void
late_join(struct launch *launch)
{
	struct launch_late *late = launch->late;

	for (uint32_t i = late->begin; i < late->next; i++) {
		struct late_node *node = late_node_at(launch, i);

		if (node->state != READY)
			continue;
		if (!stn_sequencer_joined(&launch->sequencer, i)) {
			late_give_up(launch, i, "a node of a higher rank has "
						"become the root");
			continue;
		}
		node->state = JOINED;
		stn_wireup_server_joined(&launch->server, i);
	}
}

/* The request is done: all its nodes have joined, or were given up. */
static void
late_end(struct launch *launch)
{
	struct launch_late *late = launch->late;
	uint32_t joined = late_count(launch, JOINED);
	uint32_t all = late->next - late->begin;
	char text[600];

	late->busy = false;
	if (joined)
		fprintf(stderr,
			"sateen: %" PRIu32 " node%s joined; the run has "
			"%" PRIu32 " now\n",
			joined, joined == 1 ? " has" : "s have",
			launch->sequencer.members.living);
	if (joined == all) {
		stn_control_end(launch->control, late->request, NULL);
		return;
	}
	snprintf(text, sizeof(text),
		 "%" PRIu32 " of %" PRIu32 " nodes have joined: %s", joined,
		 all, late->reason);
	stn_control_end(launch->control, late->request, text);
}

/* Does a node that takes part still owe MET? */
static bool
late_owed(const struct launch *launch)
{
	for (uint32_t i = 0; i < launch->late->next; i++)
		if (launch->late->owed[i] && late_takes_part(launch, i))
			return true;
	return false;
}

static void
late_give_up_all(struct launch *launch, const char *reason)
{
	struct launch_late *late = launch->late;

	late->wanted = 0;
	for (uint32_t i = late->begin; i < late->next; i++)
		if (late_node_at(launch, i)->state == STARTED ||
		    late_node_at(launch, i)->state == READY)
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
	if (late->wanted || late_count(launch, STARTED))
		return;
	if (!late->told && late_count(launch, READY))
		late_tell_peers(launch);
	if (late_count(launch, READY) && late_owed(launch))
		return;
	late_join(launch);
	late_end(launch);
}

/* The next card of a new node. */
static void
late_take_card(struct launch *launch, struct late_node *node,
	       const struct stn_wireup_frame *frame)
{
	const struct launch_late *late = launch->late;
	uint32_t rank = frame->head.rank;
	const struct stn_bytes *cards;

	stn_bytes_fini(&node->card);
	if (node->rounds >= late->round_count ||
	    !stn_bytes_add(&node->card, frame->body, frame->head.size)) {
		late_give_up(launch, rank,
			     "it plans otherwise than the first nodes did");
		return;
	}
	cards = &late->rounds[node->rounds++];
	stn_process_group_send_one(&launch->group, rank, STN_WIREUP_CARDS,
				   stn_bytes_front(cards),
				   stn_bytes_count(cards));
}

static void
late_take_ready(struct launch *launch, struct late_node *node, uint32_t rank)
{
	if (node->rounds != launch->late->round_count)
		late_give_up(launch, rank,
			     "it plans otherwise than the first nodes did");
	else
		node->state = READY;
}

/* Node @from is connected to all new nodes, or it can't connect to one. */
static void
late_take_met(struct launch *launch, uint32_t from,
	      const struct stn_wireup_frame *frame)
{
	uint32_t *owed = &launch->late->owed[from];
	uint32_t rank = stn_wireup_frame_number(frame);
	struct stn_why why;

	*owed -= *owed > 0;
	if (rank == STN_NOBODY || !late_node_of(launch, rank) ||
	    late_node_of(launch, rank)->state != READY)
		return;
	stn_wireup_frame_missed(frame, &why);
	late_give_up(launch, rank, "node %" PRIu32 " can't reach it: %s", from,
		     why.text);
	launch->late->told = false; /* the others are told again */
}

/* A new node gives up. Its text may begin with its name. */
static void
late_take_abort(struct launch *launch, const struct stn_wireup_frame *frame)
{
	uint32_t rank = frame->head.rank;
	char text[sizeof(struct stn_why)], name[24];
	size_t length;

	snprintf(text, sizeof(text), "%.*s", (int)frame->head.size,
		 (const char *)frame->body);
	snprintf(name, sizeof(name), "node %" PRIu32 ": ", rank);
	length = strlen(name);
	late_give_up(launch, rank, "%s",
		     strncmp(text, name, length) ? text : text + length);
}

bool
launch_late_received(struct launch *launch,
		     const struct stn_wireup_frame *frame)
{
	uint32_t rank = frame->head.rank;
	struct late_node *node = late_node_of(launch, rank);

	if (launch->late && frame->head.type == STN_WIREUP_MET) {
		late_take_met(launch, rank, frame);
		return true;
	}
	if (!node)
		return false;
	if (node->state == GIVEN_UP)
		return true;
	switch (frame->head.type) {
	case STN_WIREUP_CARD:
		late_take_card(launch, node, frame);
		break;
	case STN_WIREUP_APPLIED:
		late_take_ready(launch, node, rank);
		break;
	case STN_WIREUP_SUSPECT: /* that node may have died long ago */
		break;
	case STN_WIREUP_ABORT:
		late_take_abort(launch, frame);
		break;
	default:
		late_give_up(launch, rank, "it has sent an unexpected frame");
	}
	return true;
}

bool
launch_late_closed(struct launch *launch, uint32_t rank, enum stn_err err)
{
	if (!late_node_of(launch, rank))
		return false;
	if (err == STN_MALFORMED)
		late_give_up(launch, rank,
			     "it is of another version of Sateen; rebuild it");
	else if (err == STN_NO_MEMORY)
		late_give_up(launch, rank, "out of memory");
	return true;
}

bool
launch_late_ended(struct launch *launch, uint32_t rank, int status)
{
	if (!late_node_of(launch, rank))
		return false;
	if (WIFSIGNALED(status))
		late_give_up(launch, rank, "it died: signal %d, %s",
			     WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		late_give_up(launch, rank, "it has ended with status %d",
			     WEXITSTATUS(status));
	return true;
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
