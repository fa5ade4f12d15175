/*
 * dead_grant.c: the payloads of a record and of a constant land from a node that
 * dies, and the fabric holds their memory for long after the death. Nobody waits
 * for them any more. Node 0 takes both from node 1; node 2 is the record's home.
 */
#define LONE_SIZE 3

#include <string.h>

#include <sateen.h>
#include "constants/fetch.h"
#include "constants/service.h"
#include "steal/redo.h"
#include "steal/steal.h"
#include "steal/thief.h"
#include "tests/held_pull.h"
#include "tests/lone_node.h"
#include "tests/tap.h"

#define VICTIM 1
#define HOME 2
#define BYTES 100

STN_TASK(int, first, struct stn_in, text)
{
	return ((const char *)text.at)[0];
}

static struct stn_steal *
create(void)
{
	struct stn_node *node = lone_node(&held_ops, &first_task, NULL);

	held.said = 0;
	if (stn_members_let_change(&node->members))
		abort();
	return stn_node_state(node, &stn_steal_service);
}

/* The victim grants the record; its payload begins to land. */
static void
begin_grant(struct stn_steal *steal)
{
	const struct stn_ask ask = { .victim = VICTIM };
	static const char contents[BYTES];
	const struct stn_in text = STN_IN(contents, BYTES);
	const struct stn_arrival arrival = {
		.message = { .from = VICTIM, .payload_bytes = BYTES }
	};
	struct stn_wire wire = { .kind = STN_GRANT };

	stn_request_send(steal, &ask, 0);
	wire.record = (struct stn_record){ .task = &first_task,
					   .rank = HOME,
					   .epoch = 1,
					   .request =
						   steal->requests.last_number };
	memcpy(wire.record.arguments, &text, sizeof(text));
	stn_thief_granted(steal, &arrival.message, &wire);
}

static void
test_grant(enum stn_err err, const char *how)
{
	const struct stn_wire_result where = { .epoch = 1 };
	struct stn_steal *steal = create();
	bool closed, gone;

	begin_grant(steal);
	stn_redo_where(steal, HOME, &where);
	gone = held.kind == STN_GONE;
	stn_members_remove(&steal->node->members, VICTIM);
	stn_thief_died(steal, VICTIM);
	closed = steal->counts.lost == 1 &&
		 !stn_request_find_lost(steal, VICTIM);
	tap_ok(closed, "a request whose record lands from a dead node is closed");
	stn_redo_where(steal, HOME, &where);
	tap_ok(!gone && held.kind == STN_GONE && held.to == HOME,
	       "the record's home is told that it is gone, and not before");
	held.done(held.arg, err);
	tap_ok(!steal->counts.borrowed && LIST_EMPTY(&steal->jobs) &&
		       steal->counts.lost == 1,
	       "the record is dropped when its payload %s", how);
	stn_node_destroy(steal->node);
}

static void
note_err(void *arg, enum stn_err err)
{
	*(enum stn_err *)arg = err;
}

/* The constant lands from the victim, and the home is the next to be asked. */
static void
test_constant(void)
{
	const struct stn_arrival arrival = {
		.message = { .from = VICTIM, .payload_bytes = BYTES }
	};
	struct stn_node *node = create()->node;
	struct stn_constants *constants = stn_constants_of(node);
	enum stn_err got = STN_OK;
	unsigned asked;

	stn_constants_await(constants, 7, HOME, note_err, &got);
	stn_fetch_arrives(constants, &arrival.message, 7);
	asked = held.said;
	stn_members_remove(&node->members, VICTIM);
	stn_fetch_died(constants, VICTIM);
	tap_ok(held.said == asked + 1 && held.kind == STN_CONST_WANT &&
		       held.to == HOME,
	       "a constant that lands from a dead node is asked for again");
	stn_fetch_lacks(constants, HOME, 7);
	tap_ok(got == STN_LOST && LIST_EMPTY(&constants->fetches),
	       "and no fetch is left when no node has it");
	held.done(held.arg, STN_LOST);
	stn_node_destroy(node);
}

int
main(void)
{
	tap_begin();
	test_grant(STN_OK, "arrives");
	test_grant(STN_LOST, "is lost");
	test_constant();
	return tap_end();
}
