/*
 * landing.c: a large result lands while nodes die. It is lost with the node
 * that sends it, and with no other. Node 0 is the record's home and has lent it
 * to node 1, which has passed it on to node 2. The transport pulls a payload
 * when the test says so.
 */
#define LONE_SIZE 3

#include <string.h>

#include <sateen.h>
#include "steal/holders.h"
#include "steal/redo.h"
#include "steal/result.h"
#include "steal/steal.h"
#include "tests/held_pull.h"
#include "tests/lone_node.h"
#include "tests/tap.h"

#define FORWARDER 1
#define RUNNER 2

STN_TASK(int, twice, int, n)
{
	return 2 * n;
}

static struct stn_steal *
create(void)
{
	struct stn_node *node = lone_node(&held_ops, &twice_task, NULL);

	held.said = 0;
	if (stn_members_let_change(&node->members))
		abort();
	return stn_node_state(node, &stn_steal_service);
}

/* The record twice(21) in slot @slot, which node @to is to run. */
static struct stn_record *
lend_slot(struct stn_steal *steal, uint32_t to, uint32_t slot, uint32_t epoch)
{
	struct stn_owner *owner = &steal->owners[0];
	struct stn_record *record = owner->deque.slots + slot;
	const int n = 21;

	memcpy(record->arguments, &n, sizeof(n));
	stn_deque_lend(&owner->deque, record, &twice_task, STN_THIEF_NODE);
	record->rank = 0;
	record->slot = slot;
	record->epoch = epoch;
	stn_holders_lent(steal, record, to, 0);
	return record;
}

static struct stn_record *
lend(struct stn_steal *steal, uint32_t to)
{
	return lend_slot(steal, to, 0, 1);
}

static void
pass_on(struct stn_steal *steal)
{
	const struct stn_wire_moved moved = { .epoch = 1,
					      .hops = 1,
					      .to = RUNNER };

	stn_holders_moved(steal, FORWARDER, &moved);
	stn_redo_moved(steal, &moved);
}

/* The result of the runner begins to land. */
static void
begin_landing(struct stn_steal *steal)
{
	const struct stn_wire_result result = { .epoch = 1 };
	const struct stn_arrival arrival = {
		.message = { .from = RUNNER, .payload_bytes = sizeof(int) }
	};

	stn_result_take(steal, &arrival.message, &result);
}

static void
end_landing(enum stn_err err)
{
	const int result = 42;

	if (!err)
		memcpy(held.piece.iov_base, &result, sizeof(result));
	held.done(held.arg, err);
}

static void
lose(struct stn_steal *steal, uint32_t rank)
{
	stn_members_remove(&steal->node->members, rank);
	stn_redo_lost(steal);
}

/* Is the record done, by the runner's result alone? */
static bool
has_landed(const struct stn_steal *steal, const struct stn_record *record)
{
	int result;

	memcpy(&result, record->arguments, sizeof(result));
	return stn_deque_is_done(record) && result == 42 && !held.said &&
	       !steal->counts.redone && !steal->counts.stale;
}

/* The record is passed on, and the forwarder is lost while the result lands. */
static void
test_forwarder(bool overtakes)
{
	struct stn_steal *steal = create();
	struct stn_record *record = lend(steal, FORWARDER);

	if (!overtakes)
		pass_on(steal);
	begin_landing(steal);
	if (overtakes)
		pass_on(steal);
	lose(steal, FORWARDER);
	end_landing(STN_OK);
	tap_ok(has_landed(steal, record),
	       "a result lands although the node is lost that passed the "
	       "record "
	       "on%s",
	       overtakes ? ", and had not said so before" : "");
	stn_node_destroy(steal->node);
}

/* @first  the transport says that the payload is lost before a view does */
static void
test_runner(bool first)
{
	struct stn_steal *steal = create();
	struct stn_record *record = lend(steal, RUNNER);

	begin_landing(steal);
	if (first)
		end_landing(STN_LOST);
	lose(steal, RUNNER);
	if (!first)
		end_landing(STN_LOST);
	tap_ok(steal->counts.redone == 1 && !stn_deque_is_done(record) && !held.said,
	       "the record of a result that is lost is run again, once");
	stn_node_destroy(steal->node);
}

/*
 * The result is lost when its slot has another record, which a neighbour has
 * stolen: that record has the number of the neighbour's slot.
 */
static void
test_reused(void)
{
	struct stn_steal *steal = create();
	struct stn_record *record = lend(steal, RUNNER);

	begin_landing(steal);
	lose(steal, RUNNER);
	lend_slot(steal, FORWARDER, 7, record->epoch - 1);
	record->slot = 7;
	end_landing(STN_LOST);
	tap_ok(steal->counts.redone == 1,
	       "a result that is lost late is not that of another record");
	stn_node_destroy(steal->node);
}

/* A worker that waits in vain for an adopted job takes its record back. */
static void
test_fetched(void)
{
	struct stn_steal *steal = create();
	struct stn_record *record = lend(steal, RUNNER);

	stn_holder_of(steal, record)->fetched = true;
	begin_landing(steal);
	tap_ok(!stn_holder_of(steal, record)->fetched,
	       "a record whose fetched result lands is not taken back");
	end_landing(STN_OK);
	stn_node_destroy(steal->node);
}

int
main(void)
{
	tap_begin();
	test_forwarder(false);
	test_forwarder(true);
	test_runner(true);
	test_runner(false);
	test_reused();
	test_fetched();
	return tap_end();
}
