#include "steal/bundle.h"

#include <stdlib.h>

#include "node/dispatch.h"
#include "steal/buffers.h"
#include "steal/steal.h"
#include "transport/pieces.h"

struct stn_bundle *
stn_bundle_create(struct stn_steal *steal)
{
	struct stn_bundle *bundle = malloc(sizeof(*bundle));

	if (!bundle)
		stn_node_fail(steal->node, "out of memory");
	bundle->steal = steal;
	bundle->header.count = 0;
	bundle->bytes = 0;
	TAILQ_INIT(&bundle->jobs);
	return bundle;
}

bool
stn_bundle_fits(const struct stn_bundle *bundle, size_t bytes)
{
	return bytes <= sizeof(bundle->payload) - bundle->bytes;
}

size_t
stn_bundle_record_bytes(const struct stn_task *task, size_t inputs)
{
	return STN_WIRE_BYTES + task->argument_bytes + inputs;
}

size_t
stn_bundle_result_bytes(size_t outputs)
{
	return sizeof(struct stn_wire_bundled) + outputs;
}

static void
bundle_copy(struct stn_bundle *bundle, const void *from, size_t bytes)
{
	memcpy(bundle->payload + bundle->bytes, from, bytes);
	bundle->bytes += bytes;
}

static void
copy_pieces(struct stn_bundle *bundle, const struct stn_gather *gather)
{
	struct iovec to = { bundle->payload + bundle->bytes, gather->bytes };

	stn_pieces_copy(&to, gather->pieces, gather->bytes);
	bundle->bytes += gather->bytes;
}

void
stn_bundle_add_record(struct stn_bundle *bundle, const struct stn_task *task,
		      struct stn_record *record)
{
	struct stn_gather inputs;

	if (stn_gather_init(&inputs, task, record, STN_INPUTS, NULL))
		stn_node_fail(bundle->steal->node, "out of memory");
	bundle_copy(bundle, (const char *)record + STN_WIRE_AT,
		    STN_WIRE_BYTES + task->argument_bytes);
	copy_pieces(bundle, &inputs);
	stn_gather_fini(&inputs);
	bundle->header.count++;
}

void
stn_bundle_add_result(struct stn_bundle *bundle, struct stn_job *job,
		      const struct stn_gather *outputs)
{
	const struct stn_wire_bundled result = { job->record.slot,
						 job->record.epoch,
						 (uint32_t)outputs->bytes };

	bundle_copy(bundle, &result, sizeof(result));
	copy_pieces(bundle, outputs);
	TAILQ_INSERT_TAIL(&bundle->jobs, job, link);
	bundle->header.count++;
}

void
stn_bundle_send(struct stn_bundle *bundle, uint32_t to, uint8_t kind,
		stn_done *done)
{
	struct stn_steal *steal = bundle->steal;
	const struct iovec piece = { bundle->payload, bundle->bytes };

	stn_search_show(steal->search, to);
	stn_node_send(steal->node, to, kind, &bundle->header,
		      sizeof(bundle->header), &piece, 1, done, bundle);
}

void
stn_bundle_free(struct stn_bundle *bundle)
{
	struct stn_job *job;

	while ((job = TAILQ_FIRST(&bundle->jobs))) {
		TAILQ_REMOVE(&bundle->jobs, job, link);
		stn_job_free(job);
	}
	free(bundle);
}

/* The payload is here already, so this is called at once. */
static void
bundle_taken(void *arg, enum stn_err err)
{
	*(enum stn_err *)arg = err;
}

enum stn_err
stn_bundle_open(struct stn_steal *steal, const struct stn_message *message,
		unsigned char bytes[STN_BUNDLE_BYTES])
{
	const struct iovec piece = { bytes, message->payload_bytes };
	enum stn_err err = STN_MALFORMED;

	if (!stn_transport_is_here(message))
		return STN_MALFORMED;
	stn_transport_take(steal->node->transport, message, &piece, 1,
			   bundle_taken, &err);
	return err;
}
