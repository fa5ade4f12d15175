#include "steal/result.h"

#include <inttypes.h>
#include <stdlib.h>

#include "node/dispatch.h"
#include "node/sleep.h"
#include "steal/buffers.h"
#include "steal/bundle.h"
#include "steal/redo.h"
#include "steal/steal.h"
#include "transport/pieces.h"

/*
 * Called when the result is in its place. The worker that waits for it may have
 * had requests sent for other work. It needs none now, so the balancer may
 * cancel them.
 */
static void
end_loan(struct stn_steal *steal, struct stn_record *record)
{
	stn_deque_done(record);
	stn_node_wake(steal->node);
	stn_decide_withdrawn(steal, record);
}

/* A result that is arriving. */
struct landing {
	struct stn_steal *steal;
	struct stn_record *record;
	uint32_t from, slot, epoch;
	size_t bytes;
	unsigned char *staged; /* the payload, or NULL: it lands in its place */
};

static void
place_staged(const struct landing *landing)
{
	struct stn_record *record = landing->record;
	struct iovec staged = { landing->staged, landing->bytes };
	struct stn_gather outputs;

	if (stn_gather_init(&outputs, stn_deque_task(record), record,
			    STN_OUTPUTS, record->arguments))
		stn_node_fail(landing->steal->node, "out of memory");
	stn_pieces_copy(outputs.pieces, &staged, landing->bytes);
	stn_gather_fini(&outputs);
}

/*
 * A thief may die while its result lands. The result overwrites the arguments,
 * and the contents of inout buffers; a record that is run again needs both. So
 * in a run that survives deaths, a payload that takes time is put aside until
 * all of it is here. By then the record may have been run again and be done;
 * its slot may even hold another record. If a neighbouring worker has stolen
 * that one, record->slot is no longer the number of this slot.
 */
static void
staged_landed(struct landing *landing, enum stn_err err)
{
	struct stn_steal *steal = landing->steal;
	struct stn_record *record = landing->record;
	bool lent = stn_holders_find(steal, landing->slot, landing->epoch) ==
		    record;

	steal->landing--;
	steal->counts.stale += !lent || err;
	if (lent && err)
		stn_redo_own(steal, record);
	if (lent && !err) {
		place_staged(landing);
		end_loan(steal, record);
	}
	free(landing->staged);
	free(landing);
}

static void
landed(void *arg, enum stn_err err)
{
	struct landing *landing = arg;

	if (landing->staged) {
		staged_landed(landing, err);
		return;
	}
	if (err == STN_NO_MEMORY)
		stn_node_must_arrive(landing->steal->node, "a result", err);
	if (err)
		stn_node_miss(landing->steal->node, landing->from,
			      "a result from node %" PRIu32 " was lost: %s",
			      landing->from, stn_err_text(err));
	end_loan(landing->steal, landing->record);
	free(landing);
}

/* Like landed, for a landing on the caller's stack. */
static void
landed_here(void *arg, enum stn_err err)
{
	struct landing *landing = arg;

	(void)err; /* none: the payload came with the message */
	end_loan(landing->steal, landing->record);
}

void
stn_result_came_home(struct stn_steal *steal, const struct stn_job *job)
{
	const struct stn_record *copy = &job->record;
	struct stn_record *record;
	struct stn_gather from, to;

	record = stn_holders_find(steal, copy->slot, copy->epoch);
	if (!record) {
		steal->counts.stale++;
		return;
	}
	if (stn_gather_init(&from, copy->task, copy, STN_OUTPUTS,
			    job->result) ||
	    stn_gather_init(&to, stn_deque_task(record), record, STN_OUTPUTS,
			    record->arguments))
		stn_node_fail(steal->node, "out of memory");
	if (copy->task != stn_deque_task(record) || from.bytes != to.bytes)
		stn_node_fail(steal->node,
			      "a record came home that does not match "
			      "the record that was lent");
	stn_pieces_copy(to.pieces, from.pieces, from.bytes);
	stn_gather_fini(&from);
	stn_gather_fini(&to);
	record->epoch++;
	end_loan(steal, record);
}

/*
 * Takes the payload of a result, which is not here yet, into its place, or puts
 * it aside. From now on only the death of the sender can lose the result. So
 * the sender counts as the holder: if the node that passed the record on to it
 * dies, nobody is asked for the record (redo.c), which no node has any more.
 */
static void
take_result(struct landing *landing, const struct stn_message *message,
	    const struct stn_gather *outputs)
{
	struct stn_steal *steal = landing->steal;
	struct iovec staged = { NULL, message->payload_bytes };

	if (!steal->survives) {
		stn_transport_take(steal->node->transport, message,
				   outputs->pieces, outputs->count, landed,
				   landing);
		return;
	}
	stn_holders_lent(steal, landing->record, message->from,
			 stn_holder_of(steal, landing->record)->hops);
	steal->landing++;
	landing->bytes = staged.iov_len;
	landing->staged = staged.iov_base = malloc(staged.iov_len);
	if (!landing->staged)
		stn_node_fail(steal->node, "out of memory");
	stn_transport_take(steal->node->transport, message, &staged, 1, landed,
			   landing);
}

static void
check_bytes(struct stn_steal *steal, uint32_t from, size_t bytes,
	    size_t expected)
{
	if (bytes != expected)
		stn_node_fail(steal->node,
			      "node %" PRIu32 " sent a result of %zu bytes "
			      "where %zu belong",
			      from, bytes, expected);
}

void
stn_result_take(struct stn_steal *steal, const struct stn_message *message,
		const struct stn_wire_result *result)
{
	struct stn_record *record =
		stn_holders_find(steal, result->slot, result->epoch);
	bool here = stn_transport_is_here(message);
	struct landing at_once, *landing = &at_once;
	struct stn_gather outputs;

	if (!record) {
		/* no lent record matches: a duplicate */
		steal->counts.stale++;
		stn_transport_refuse(steal->node->transport, message);
		return;
	}
	if (!here)
		landing = malloc(sizeof(*landing));
	if (!landing || stn_gather_init(&outputs, stn_deque_task(record),
					record, STN_OUTPUTS, record->arguments))
		stn_node_fail(steal->node, "out of memory");
	check_bytes(steal, message->from, message->payload_bytes,
		    outputs.bytes);
	record->epoch++; /* so that a duplicate does not match */
	*landing = (struct landing){ .steal = steal,
				     .record = record,
				     .from = message->from,
				     .slot = result->slot,
				     .epoch = record->epoch };
	if (here)
		stn_transport_take(steal->node->transport, message,
				   outputs.pieces, outputs.count, landed_here,
				   landing);
	else
		take_result(landing, message, &outputs);
	stn_gather_fini(&outputs);
}

/* Places a result whose contents are here. */
static void
place_result(struct stn_steal *steal, uint32_t from,
	     const struct stn_wire_bundled *result, const void *bytes)
{
	struct stn_record *record =
		stn_holders_find(steal, result->slot, result->epoch);
	const struct iovec contents = { (void *)(uintptr_t)bytes,
					result->bytes };
	struct stn_gather outputs;

	steal->counts.bundled_came++;
	if (!record) {
		steal->counts.stale++;
		return;
	}
	if (stn_gather_init(&outputs, stn_deque_task(record), record,
			    STN_OUTPUTS, record->arguments))
		stn_node_fail(steal->node, "out of memory");
	check_bytes(steal, from, result->bytes, outputs.bytes);
	record->epoch++; /* so that a duplicate does not match */
	stn_pieces_copy(outputs.pieces, &contents, result->bytes);
	stn_gather_fini(&outputs);
	end_loan(steal, record);
}

enum stn_err
stn_results_take(struct stn_steal *steal, const struct stn_message *message,
		 const struct stn_wire_bundle *bundle)
{
	unsigned char bytes[STN_BUNDLE_BYTES];
	const unsigned char *at = bytes, *end = at + message->payload_bytes;
	enum stn_err err = stn_bundle_open(steal, message, bytes);

	for (uint32_t i = 0; !err && i < bundle->count; i++) {
		struct stn_wire_bundled result;

		err = stn_wire_unpack_result(&at, end, &result);
		if (err)
			break;
		place_result(steal, message->from, &result, at);
		at += result.bytes;
	}
	return err ? err : at == end ? STN_OK : STN_MALFORMED;
}
