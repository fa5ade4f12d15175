#include "node/membership.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "node/attend.h"
#include "node/leaving.h"
#include "node/membership_send.h"
#include "node/membership_tree.h"
#include "node/progress.h"
#include "node/sleep.h"

static const struct stn_kind kinds[] = {
	{ .number = STN_VIEW, .name = "view", .numbered = true },
	{ .number = STN_APPLIED, .name = "applied", .numbered = true },
	{ .number = STN_NOTICES, .name = "notices", .numbered = true },
};

struct membership {
	struct stn_node *node;
	struct stn_change *changes; /* room for STN_CHANGES_MOST, or NULL */
	uint32_t known, applied;    /* views */
	/*
	 * The services are preparing for the view, or have prepared for it, and
	 * for those before it; see service.h. Then it is applied.
	 */
	uint32_t preparing, prepared;

	/* About the view applied last: */
	uint32_t parent;  /* STN_NOBODY: this node is the root */
	uint32_t missing; /* children whose subtrees have not applied it */
	struct stn_notice *notices;
	size_t notice_count, notice_room;

	bool main_begun; /* on this node */
};

static struct membership *
membership_of(const struct stn_node *node)
{
	return stn_node_state(node, &stn_membership_service);
}

uint32_t
stn_membership_applied(const struct stn_node *node)
{
	return membership_of(node)->applied;
}

static void
membership_close(void *state)
{
	struct membership *membership = state;

	free(membership->changes);
	free(membership->notices);
	free(membership);
}

static enum stn_err
membership_open(struct stn_node *node, void **state_p, struct stn_why *why)
{
	struct membership *membership = calloc(1, sizeof(*membership));

	if (!membership)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	membership->node = node;
	membership->main_begun = !node->rank;
	*state_p = membership;
	return STN_OK;
}

static void
add_notice(struct membership *membership, const struct stn_notice *notice)
{
	size_t room = membership->notice_room;

	if (membership->notice_count == room) {
		room = room ? 2 * room : 16;
		membership->notices = reallocarray(membership->notices, room,
						   sizeof(*notice));
		if (!membership->notices)
			stn_node_fail(membership->node, "out of memory");
		membership->notice_room = room;
	}
	membership->notices[membership->notice_count++] = *notice;
}

void
stn_membership_notice(struct stn_node *node, uint8_t kind,
		      const uint64_t words[2], uint32_t about)
{
	struct stn_notice notice = {
		{ words[0], words[1] }, about, kind, node->rank, 0
	};

	add_notice(membership_of(node), &notice);
}

/* All nodes have applied the view, and their notices are here. */
static void
membership_told(struct membership *membership, const struct stn_notice *notices,
		size_t count)
{
	struct stn_node *node = membership->node;

	stn_membership_spread(node, STN_NOTICES, membership->applied, notices,
			      count * sizeof(*notices));
	for (size_t i = 0; node->services[i]; i++)
		if (node->services[i]->noticed)
			node->services[i]->noticed(node->states[i], notices,
						   count);
	stn_node_wake(node);
}

/* This node and all nodes below it have applied the view. */
static void
subtree_applied(struct membership *membership)
{
	struct stn_node *node = membership->node;

	if (membership->parent == STN_NOBODY) {
		membership_told(membership, membership->notices,
				membership->notice_count);
		if (!membership->main_begun)
			node->main_due = true; /* unless main has returned */
		membership->main_begun = true;
		stn_node_wake(node); /* pairs with idle_over */
		node->start.host.applied(node->start.host.arg,
					 membership->applied);
		return;
	}
	stn_membership_send(node, membership->parent, STN_APPLIED,
			    membership->applied, membership->notices,
			    membership->notice_count *
				    sizeof(struct stn_notice));
}

/* A node that is not lower than the root becomes a member of the run. */
static void
apply_joined(struct stn_node *node, uint32_t rank)
{
	if (!stn_members_add(&node->members, rank))
		stn_node_fail(node,
			      "a view lets node %" PRIu32 " join, which can't",
			      rank);
	if (rank == node->rank)
		stn_transport_joined(node->transport);
	for (size_t i = 0; node->services[i]; i++)
		if (node->services[i]->joined)
			node->services[i]->joined(node->states[i], rank);
}

/* Node @rank is to leave. It may be this one. */
static void
apply_leaving(struct stn_node *node, uint32_t rank)
{
	stn_members_leave(&node->members, rank);
	for (size_t i = 0; node->services[i]; i++)
		if (node->services[i]->leaving)
			node->services[i]->leaving(node->states[i], rank);
	if (rank != node->rank || !node->start.host.left)
		return;
	node->leaving = true;
	stn_attend_to(node, stn_node_state(node, &stn_leaving_service));
}

static void
apply_change(struct membership *membership, const struct stn_change *change)
{
	struct stn_node *node = membership->node;

	if (change->what == STN_JOINED) {
		apply_joined(node, change->rank);
		return;
	}
	if (change->what == STN_LEAVING) {
		apply_leaving(node, change->rank);
		return;
	}
	if (change->rank == node->rank)
		stn_node_fail(node, "the run has gone on without this node, "
				    "because it did not answer");
	node->members.left += change->what == STN_LEFT;
	stn_members_remove(&node->members, change->rank);
	stn_transport_peer_del(node->transport, change->rank);
	for (size_t i = 0; node->services[i]; i++)
		if (node->services[i]->died)
			node->services[i]->died(node->states[i], change->rank);
}

static void
apply_view(struct membership *membership)
{
	struct stn_node *node = membership->node;

	while (membership->applied < membership->known)
		apply_change(membership,
			     &membership->changes[membership->applied++]);
	membership->notice_count = 0;
	for (size_t i = 0; node->services[i]; i++)
		if (node->services[i]->notices)
			node->services[i]->notices(node->states[i]);
	membership->parent = stn_membership_parent(&node->members, node->rank,
						   node->cluster);
	membership->missing = stn_membership_spread(
		node, STN_VIEW, membership->applied, membership->changes,
		membership->known * sizeof(membership->changes[0]));
	if (!membership->missing)
		subtree_applied(membership);
	stn_node_wake(node);
}

/* Has the node died, or left? */
static bool
ends_node(const struct stn_change *change)
{
	return change->what != STN_JOINED && change->what != STN_LEAVING;
}

static void
prepare_service(struct membership *membership, size_t number, uint32_t view)
{
	const struct stn_node *node = membership->node;
	const struct stn_service *service = node->services[number];

	for (uint32_t i = membership->prepared; service->prepare && i < view;
	     i++) {
		const struct stn_change *change = &membership->changes[i];

		if (ends_node(change))
			service->prepare(node->states[number], change->rank);
	}
}

/* On the progress thread. The changes of a view that is known don't change. */
static void
prepare_services(void *arg)
{
	struct membership *membership = arg;
	struct stn_node *node = membership->node;
	uint32_t view = membership->preparing;

	for (size_t i = 0; node->services[i]; i++)
		prepare_service(membership, i, view);
	stn_node_enter(node);
	membership->prepared = view;
	stn_attend_to(node, membership);
	stn_node_leave(node);
}

/* Returns whether the newest view that is known may be applied. */
static bool
membership_prepare(struct membership *membership)
{
	while (membership->prepared < membership->known &&
	       membership->preparing <= membership->prepared &&
	       !ends_node(&membership->changes[membership->prepared]))
		membership->prepared++;
	if (membership->prepared >= membership->known)
		return true;
	if (membership->preparing > membership->prepared)
		return false;
	membership->preparing = membership->known;
	return !stn_progress_aside(membership->node, prepare_services,
				   membership);
}

/* Handlers must not make the transport forget a node, so views wait for this.
 */
static uint64_t
membership_look_after(void *state, uint64_t now)
{
	struct membership *membership = state;

	(void)now;
	if (membership->applied < membership->known &&
	    membership_prepare(membership)) {
		apply_view(membership);
		membership->preparing = membership->prepared =
			membership->applied;
	}
	return STN_AT_REST; /* until the next view is known, or prepared for */
}

static bool
is_member(void *arg)
{
	struct stn_node *node = arg;
	bool member;

	stn_node_enter(node);
	member = stn_members_has(&node->members, node->rank);
	stn_node_leave(node);
	return member;
}

void
stn_membership_await(struct stn_node *node)
{
	if (stn_topology_reserved(node->topology, node->rank))
		stn_node_await(node, is_member, node);
}

void
stn_membership_view(struct stn_node *node, const struct stn_change *changes,
		    uint32_t count)
{
	struct membership *membership = membership_of(node);

	if (count <= membership->known)
		return;
	if (!membership->changes)
		membership->changes =
			calloc(STN_CHANGES_MOST((size_t)node->topology->nodes),
			       sizeof(membership->changes[0]));
	if (!membership->changes || stn_members_let_change(&node->members))
		stn_node_fail(node, "out of memory");
	if (memcmp(membership->changes, changes,
		   membership->known * sizeof(changes[0])) != 0)
		stn_node_fail(node, "a view contradicts an earlier one; please "
				    "report that");
	memcpy(membership->changes + membership->known,
	       changes + membership->known,
	       (count - membership->known) * sizeof(changes[0]));
	membership->known = count;
	stn_attend_to(node, membership);
}

/* A payload that is arriving. */
struct incoming {
	struct membership *membership;
	uint32_t view;
	uint8_t kind;
	size_t bytes;
	_Alignas(8) unsigned char payload[];
};

static _Noreturn void
fail_incoming(const struct incoming *incoming)
{
	stn_node_fail(incoming->membership->node,
		      "a message of kind %u from another node is malformed",
		      incoming->kind);
}

static void
take_view(struct membership *membership, const struct incoming *incoming)
{
	const struct stn_change *changes = (const void *)incoming->payload;

	if (!stn_changes_valid(changes, incoming->view,
			       membership->node->topology->nodes))
		fail_incoming(incoming);
	stn_membership_view(membership->node, changes, incoming->view);
}

/* Services use the sender of a notice as the rank of a node. */
static void
check_notices(const struct incoming *incoming)
{
	const struct stn_notice *notices = (const void *)incoming->payload;
	size_t count = incoming->bytes / sizeof(*notices);

	for (size_t i = 0; i < count; i++)
		if (notices[i].from >=
		    incoming->membership->node->topology->nodes)
			fail_incoming(incoming);
}

static void
take_applied(struct membership *membership, const struct incoming *incoming)
{
	const struct stn_notice *notices = (const void *)incoming->payload;

	if (incoming->view != membership->applied || !membership->missing)
		return;
	for (size_t i = 0; i < incoming->bytes / sizeof(*notices); i++)
		add_notice(membership, &notices[i]);
	if (!--membership->missing)
		subtree_applied(membership);
}

static void
take_notices(struct membership *membership, const struct incoming *incoming)
{
	if (incoming->view == membership->applied)
		membership_told(membership, (const void *)incoming->payload,
				incoming->bytes / sizeof(struct stn_notice));
}

static void
incoming_landed(void *arg, enum stn_err err)
{
	struct incoming *incoming = arg;
	struct membership *membership = incoming->membership;

	stn_membership_must_arrive(membership->node, err);
	if (err) {
		free(incoming); /* the sender's death brings another view */
		return;
	}
	switch (incoming->kind) {
	case STN_VIEW:
		take_view(membership, incoming);
		break;
	case STN_APPLIED:
		check_notices(incoming);
		take_applied(membership, incoming);
		break;
	case STN_NOTICES:
		check_notices(incoming);
		take_notices(membership, incoming);
		break;
	}
	free(incoming);
}

/* Is the payload of a size that the kind allows? */
static bool
well_formed(const struct membership *membership,
	    const struct stn_message *message, uint32_t view)
{
	if (!view ||
	    view >= STN_CHANGES_MOST(membership->node->topology->nodes))
		return false;
	if (message->kind == STN_VIEW)
		return message->payload_bytes ==
		       view * sizeof(struct stn_change);
	return message->payload_bytes % sizeof(struct stn_notice) == 0;
}

static enum stn_err
membership_handle(void *state, const struct stn_message *message)
{
	struct membership *membership = state;
	struct incoming *incoming;
	struct iovec piece;
	uint32_t view;

	if (message->header_bytes != sizeof(view))
		return STN_MALFORMED;
	memcpy(&view, message->header, sizeof(view));
	if (!well_formed(membership, message, view))
		return STN_MALFORMED;
	incoming = malloc(sizeof(*incoming) + message->payload_bytes);
	if (!incoming)
		stn_node_fail(membership->node, "out of memory");
	*incoming = (struct incoming){ .membership = membership,
				       .view = view,
				       .kind = message->kind,
				       .bytes = message->payload_bytes };
	piece = (struct iovec){ incoming->payload, incoming->bytes };
	if (!incoming->bytes)
		incoming_landed(incoming, STN_OK);
	else
		stn_transport_take(membership->node->transport, message, &piece,
				   1, incoming_landed, incoming);
	return STN_OK;
}

const struct stn_service stn_membership_service = {
	.name = "membership",
	.kinds = kinds,
	.kind_count = sizeof(kinds) / sizeof(kinds[0]),
	.open = membership_open,
	.close = membership_close,
	.handle = membership_handle,
	.look_after = membership_look_after,
};
