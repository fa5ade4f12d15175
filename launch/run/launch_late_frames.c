/*
 * launch_late_frames.c: what a node that has not joined yet sends, and its end.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>

#include "launch/run/launch_late_private.h"
#include "launch/run/launch_wait.h"

/* The node with this rank, if it is one that has not joined yet, or NULL. */
struct late_node *
late_node_of(const struct launch *launch, uint32_t rank)
{
	struct launch_late *late = launch->late;
	struct late_node *node;

	if (!late || rank < late->first || rank >= launch->ranks)
		return NULL;
	node = &late->nodes[rank - late->first];
	return node->state == LATE_JOINED ? NULL : node;
}

struct late_node *
late_node_at(const struct launch *launch, uint32_t rank)
{
	return &launch->late->nodes[rank - launch->late->first];
}

void
late_give_up(struct launch *launch, uint32_t rank, const char *format, ...)
{
	struct launch_late *late = launch->late;
	struct late_node *node = late_node_at(launch, rank);
	va_list list;

	if (node->state == LATE_GIVEN_UP)
		return;
	va_start(list, format);
	vsnprintf(late->reason, sizeof(late->reason), format, list);
	va_end(list);
	node->state = LATE_GIVEN_UP;
	late->owed[rank] = 0;
	if (!launch->killed)
		launch_say(launch,
			   "node %" PRIu32 " can't join: %s; the run goes "
			   "on without it",
			   rank, late->reason);
	stn_process_group_kill_node(&launch->group, rank);
	stn_agents_kill(&launch->agents, rank);
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
	stn_agents_send_one(&launch->agents, rank, STN_WIREUP_CARDS,
			    stn_bytes_front(cards), stn_bytes_count(cards));
}

static void
late_take_ready(struct launch *launch, struct late_node *node, uint32_t rank)
{
	if (node->rounds != launch->late->round_count)
		late_give_up(launch, rank,
			     "it plans otherwise than the first nodes did");
	else
		node->state = LATE_READY;
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
	if (rank == STN_NOBODY)
		return;
	/* Node @from has not tried the nodes behind that one. */
	launch->late->told = false;
	if (!late_node_of(launch, rank) ||
	    late_node_of(launch, rank)->state != LATE_READY)
		return;
	stn_wireup_frame_missed(frame, &why);
	late_give_up(launch, rank, "node %" PRIu32 " can't reach it: %s", from,
		     why.text);
}

/*
 * A new node misses another one. That one may have died, perhaps long ago. If
 * it lives, the new node can't join, see late_join.
 */
static void
late_take_suspicion(struct launch *launch, struct late_node *node,
		    const struct stn_wireup_frame *frame)
{
	uint32_t missed = stn_wireup_frame_number(frame);

	if (missed < launch->ranks &&
	    stn_members_has(&launch->sequencer.members, missed) &&
	    !stn_bytes_add(&node->missed, &missed, sizeof(missed)))
		late_give_up(launch, frame->head.rank, "out of memory");
}

/*
 * A node misses a new node. The two can't talk to each other any more, but
 * would not learn of that later: a node is missed once. So the new one can't
 * join.
 */
static bool
late_is_missed(struct launch *launch, const struct stn_wireup_frame *frame)
{
	struct stn_why why;
	uint32_t rank = stn_wireup_frame_missed(frame, &why);
	const struct late_node *node = late_node_of(launch, rank);

	if (!node || node->state != LATE_READY || rank == frame->head.rank ||
	    stn_sequencer_suspects(&launch->sequencer, frame->head.rank))
		return false;
	late_give_up(launch, rank, "node %" PRIu32 " has lost it: %s",
		     frame->head.rank, why.text);
	return true;
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
	if (node && node->state == LATE_GIVEN_UP)
		return true;
	if (launch->late && frame->head.type == STN_WIREUP_SUSPECT &&
	    late_is_missed(launch, frame))
		return true;
	if (!node)
		return false;
	switch (frame->head.type) {
	case STN_WIREUP_CARD:
		late_take_card(launch, node, frame);
		break;
	case STN_WIREUP_APPLIED:
		late_take_ready(launch, node, rank);
		break;
	case STN_WIREUP_SUSPECT:
		late_take_suspicion(launch, node, frame);
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

bool
launch_late_host_failed(struct launch *launch, uint32_t first, uint32_t count,
			const char *text)
{
	struct launch_late *late = launch->late;

	for (uint32_t i = first; i < first + count; i++)
		if (!late_node_of(launch, i))
			return false;
	for (uint32_t i = first; i < first + count; i++)
		late_give_up(launch, i, "%s", text);
	if (count)
		return true;
	snprintf(late->reason, sizeof(late->reason), "%s", text);
	if (!launch->killed)
		launch_say(launch,
			   "%s; its nodes can't join, and the run goes on "
			   "without them",
			   text);
	return true;
}
