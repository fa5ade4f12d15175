/*
 * fuzz_membership.c: arbitrary views, and notices about them, either make the
 * run fail, or leave a node with members that are possible. What the node then
 * tells the other nodes about the view is well-formed.
 *
 * Input: the node's rank (8 bits); messages: kind (8 bits), view (8 bits), size
 * of the payload (8 bits), payload. An array of two nodes is there.
 */
#include "node/membership.h"
#include "parts/scheduler.h"
#include "tests/fuzz/fuzz_node.h"
#include "tests/lone_grid.h"

STN_TASK(int, nothing, int, n)
{
	return n;
}

static const struct stn_task *tasks[] = { &nothing_task, NULL };
static const struct stn_table table = { tasks, 1 };

static void
check_notices(const struct stn_notice *notices, size_t count)
{
	for (size_t i = 0; i < count; i++)
		require(notices[i].from < FUZZ_NODES);
}

static void
check_sent(uint32_t to, uint8_t kind, const void *header,
	   const struct iovec *pieces, size_t count)
{
	const void *payload = count ? pieces[0].iov_base : NULL;
	size_t bytes = count ? pieces[0].iov_len : 0;
	uint32_t view;

	(void)to;
	if (kind < STN_VIEW || kind > STN_NOTICES)
		return;
	memcpy(&view, header, sizeof(view));
	require(view && view < STN_CHANGES_MOST(FUZZ_NODES));
	if (kind == STN_VIEW)
		require(bytes == view * sizeof(struct stn_change) &&
			stn_changes_valid(payload, view, FUZZ_NODES));
	else
		check_notices(payload, bytes / sizeof(struct stn_notice));
}

static void
check_members(const struct stn_node *node)
{
	const struct stn_members *members = &node->members;
	uint32_t root = STN_NOBODY, living = 0;

	for (uint32_t i = FUZZ_NODES; i-- > 0;)
		if (i < FUZZ_FIRST || members->absent) {
			if (!stn_members_has(members, i))
				continue;
			root = i;
			living++;
		}
	require(members->root == root && members->living == living);
	require(stn_members_has(members, node->rank) ||
		node->rank >= FUZZ_FIRST);
	require(stn_membership_applied(node) < STN_CHANGES_MOST(FUZZ_NODES));
}

static void
open_grid(struct stn_node *node)
{
	struct stn_parts *array = lone_grid(node);

	free(array->scheduling);
	stn_scheduler_created(array);
}

/* Delivers the next message. Returns its size; 0: there is none. */
static size_t
deliver(struct stn_node *node, const uint8_t *data, size_t size)
{
	uint32_t view = size > 1 ? data[1] : 0;
	struct stn_message message = { .header = &view,
				       .header_bytes = sizeof(view) };

	if (size < 3 || data[2] > size - 3)
		return 0;
	message.kind = STN_VIEW + data[0] % 3;
	message.payload_bytes = data[2];
	if (!fuzz_node_deliver(node, &message, data + 3))
		return 0;
	check_members(node);
	return 3u + data[2];
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stn_node *node;
	uint32_t rank;

	if (!size)
		return 0;
	rank = data[0] % FUZZ_NODES;
	fuzz_delivery.sent = check_sent;
	node = fuzz_node_create(rank, &table);
	if (rank < FUZZ_FIRST)
		open_grid(node);
	fuzz_node_deliver_all(node, deliver, data + 1, size - 1);
	return 0;
}
