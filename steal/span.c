#include "steal/span.h"

#include <stdlib.h>

#include "node/dispatch.h"
#include "steal/steal.h"

bool
stn_span_wanted(const struct stn_config *config, bool simulated)
{
	return simulated ? stn_config_traces(config)
			 : stn_config_traces_tasks(config);
}

size_t
stn_span_bytes(const struct stn_config *config, bool simulated)
{
	return stn_span_wanted(config, simulated)
		       ? config->slots * sizeof(struct stn_span_entry)
		       : 0;
}

/* The kernel gives memory only to entries that are used. */
enum stn_err
stn_span_init(struct stn_span *span, const struct stn_config *config,
	      bool simulated, void *room)
{
	size_t bytes = stn_span_bytes(config, simulated);

	if (!bytes)
		return STN_OK;
	span->own = !room;
	span->entries = room ? room : calloc(1, bytes);
	return span->entries ? STN_OK : STN_NO_MEMORY;
}

void
stn_span_fini(struct stn_span *span)
{
	if (span->own)
		free(span->entries);
}

/* Writes the path of a record that @steal's node has lent. */
static void
span_put(struct stn_steal *steal, const struct stn_wire_span *told)
{
	const struct stn_record *record =
		stn_holders_find(steal, told->slot, told->epoch);
	struct stn_owner *owner;

	if (!record)
		return; /* the result is a duplicate */
	owner = &steal->owners[told->slot / steal->node->config->slots];
	stn_span_end(&owner->span, &owner->deque, record, told->path_ns);
}

/*
 * The state of stealing on another node of the simulation; NULL: that node has
 * ended. All nodes have the same services.
 */
static struct stn_steal *
span_home(const struct stn_steal *steal, uint32_t rank)
{
	const struct stn_node *node = steal->node;
	const struct stn_node *other = node->start.nodes[rank];
	size_t service = 0;

	while (node->states[service] != steal)
		service++;
	return other ? other->states[service] : NULL;
}

void
stn_span_returns(struct stn_steal *steal, const struct stn_job *job)
{
	const struct stn_record *record = &job->record;
	const struct stn_wire_span span = { record->slot, record->epoch,
					    job->path_ns };
	struct stn_steal *home = steal;

	if (!steal->owners[0].span.entries)
		return;
	if (record->rank != steal->node->rank) {
		if (!steal->node->sim) {
			stn_node_say(steal->node, record->rank, STN_SPAN, &span,
				     sizeof(span));
			return;
		}
		home = span_home(steal, record->rank);
	}
	if (home)
		span_put(home, &span);
}

void
stn_span_take(struct stn_steal *steal, const struct stn_wire_span *span)
{
	span_put(steal, span);
}
