#include "steal/result.h"

#include <inttypes.h>
#include <stdlib.h>

#include "node/sleep.h"
#include "steal/buffers.h"
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
	uint32_t from;
};

static void
landed(void *arg, enum stn_err err)
{
	struct landing *landing = arg;

	if (err)
		stn_node_miss(landing->steal->node, landing->from,
			      "a result from node %" PRIu32 " was lost: %s",
			      landing->from, stn_err_text(err));
	end_loan(landing->steal, landing->record);
	free(landing);
}

/*
 * The lent record with this slot and epoch, or NULL. Relaxed: the load pairs
 * with nothing. The net lock orders it after the steal that marked the record.
 */
static struct stn_record *
find_lent(struct stn_steal *steal, const struct stn_wire_result *result)
{
	uint64_t worker = result->slot / steal->node->config->slots;
	uint64_t slot = result->slot % steal->node->config->slots;
	struct stn_record *record;

	if (worker >= steal->node->worker_count)
		return NULL;
	record = &steal->owners[worker].deque.slots[slot];
	if (__atomic_load_n(&record->thief, __ATOMIC_RELAXED) !=
		    STN_THIEF_NODE ||
	    record->epoch != result->epoch)
		return NULL;
	return record;
}

void
stn_result_came_home(struct stn_steal *steal, const struct stn_job *job)
{
	const struct stn_record *copy = &job->record;
	struct stn_record *record;
	struct stn_gather from, to;

	record = find_lent(
		steal, &(struct stn_wire_result){ copy->slot, copy->epoch });
	if (!record)
		return;
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

void
stn_result_take(struct stn_steal *steal, const struct stn_message *message,
		const struct stn_wire_result *result)
{
	struct stn_record *record = find_lent(steal, result);
	struct stn_gather outputs;
	struct landing *landing;

	if (!record) {
		/* no lent record matches: a duplicate */
		stn_transport_refuse(steal->node->transport, message);
		return;
	}
	landing = malloc(sizeof(*landing));
	if (!landing || stn_gather_init(&outputs, stn_deque_task(record),
					record, STN_OUTPUTS, record->arguments))
		stn_node_fail(steal->node, "out of memory");
	if (outputs.bytes != message->payload_bytes)
		stn_node_fail(steal->node,
			      "node %" PRIu32 " sent a result of %zu bytes "
			      "where %zu belong",
			      message->from, message->payload_bytes,
			      outputs.bytes);
	*landing = (struct landing){ steal, record, message->from };
	record->epoch++; /* so that a duplicate does not match */
	stn_transport_take(steal->node->transport, message, outputs.pieces,
			   outputs.count, landed, landing);
	stn_gather_fini(&outputs);
}
