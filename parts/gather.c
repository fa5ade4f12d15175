#include "parts/gather.h"

#include <stdlib.h>
#include <string.h>

#include "node/dispatch.h"
#include "node/membership_tree.h"
#include "node/sleep.h"
#include "parts/array.h"
#include "parts/cells/cells.h"
#include "parts/early.h"

/* A report under way: its header and its payload, folds or a harvest. */
struct report {
	struct stn_node *node;
	struct stn_parts_finished header;
	struct stn_folds folds;
	struct stn_harvest harvest;
};

static bool
folds_largest(const struct stn_parts *array)
{
	return array->operation.order.what == STN_PARTS_MAX;
}

static bool
is_measure(const struct stn_parts *array)
{
	return array->operation.active &&
	       (array->operation.order.what == STN_PARTS_SUM ||
		array->operation.order.what == STN_PARTS_MAX);
}

/* Counts a part that has finished the operation. */
static void
count_part(struct stn_part *part)
{
	struct stn_parts *array = part->array;

	part->counted = array->service->view + 1;
	array->gather.parts++;
	if (is_measure(array) &&
	    stn_folds_add(&array->gather.folds,
			  (struct stn_fold){ 0, part->number, part->value }))
		stn_array_no_memory(array);
	if (stn_cells_harvests(array))
		stn_cells_harvest(part);
}

static void
recount_part(struct stn_part *part, void *arg)
{
	(void)arg;
	stn_gather_again(part);
}

void
stn_gather_begin(struct stn_parts *array)
{
	struct stn_gather *gather = &array->gather;
	struct stn_node *node = array->service->node;
	uint32_t children[STN_MEMBERSHIP_CHILDREN];

	gather->number = array->operation.order.number;
	gather->children_left = stn_membership_children(
		&node->members, node->rank, node->cluster, children);
	gather->nodes = 0;
	gather->parts = 0;
	gather->reported = false;
	gather->folds.count = 0;
	gather->harvest.size = 0;
	array->finished_nodes = 0;
	array->finished_parts = 0;
	if (!array->done) {
		array->result.count = 0;
		array->harvested.size = 0;
	}
	/* Parts that move when they are freed are nowhere. */
	if (array->freed && node->rank == node->members.root)
		gather->parts = array->count;
	stn_array_each(array, recount_part, NULL);
}

void
stn_gather_part(struct stn_part *part)
{
	struct stn_parts *array = part->array;

	part->finished = array->operation.order.number;
	array->unfinished--;
	count_part(part);
}

void
stn_gather_again(struct stn_part *part)
{
	const struct stn_parts *array = part->array;

	/* It may come from a node that has counted it in a newer view. */
	if (part->finished == array->operation.order.number &&
	    part->counted < array->service->view + 1)
		count_part(part);
}

void
stn_gather_complete(struct stn_parts *array)
{
	array->done = true;
	stn_cells_keep_result(array);
	stn_node_wake(array->service->node);
}

static void
report_done(void *arg, enum stn_err err)
{
	struct report *report = arg;

	stn_node_must_arrive(report->node, "a report of an array", err);
	stn_folds_fini(&report->folds);
	stn_harvest_fini(&report->harvest);
	free(report);
}

/* Sends a report with @folds and @harvest, which are empty then. */
static void
send_report(struct stn_parts *array, uint32_t to,
	    struct stn_parts_finished header, struct stn_folds *folds,
	    struct stn_harvest *harvest)
{
	struct report *report = malloc(sizeof(*report));
	struct iovec piece;

	if (!report)
		stn_array_no_memory(array);
	*report = (struct report){ array->service->node, header, *folds,
				   *harvest };
	*folds = (struct stn_folds){ 0 };
	*harvest = (struct stn_harvest){ 0 };
	piece = (struct iovec){ report->folds.folds,
				report->folds.count *
					sizeof(report->folds.folds[0]) };
	if (stn_cells_harvests(array))
		piece = (struct iovec){ report->harvest.bytes,
					report->harvest.size };
	stn_node_send(array->service->node, to, STN_PARTS_KIND_FINISHED,
		      &report->header, sizeof(report->header), &piece,
		      piece.iov_len > 0, report_done, report);
}

/* The root has a report for the whole run. */
static void
gather_result(struct stn_parts *array, uint32_t nodes, uint64_t parts)
{
	const struct stn_node *node = array->service->node;

	array->finished_nodes += nodes;
	array->finished_parts += parts;
	if (array->done || array->finished_nodes < node->members.living ||
	    array->finished_parts < array->count)
		return;
	stn_folds_join(&array->result, array->count, folds_largest(array));
	array->service->finished(array);
}

void
stn_gather_tell(struct stn_parts *array, uint32_t caller)
{
	uint32_t number = array->operation.order.number;
	const struct stn_parts_finished header = {
		array->id, number, array->service->view,
		array->service->node->members.living, array->count
	};
	struct stn_folds result = { 0 };
	struct stn_harvest harvest = { 0 };

	if (stn_harvest_add(&harvest, STN_HARVEST_LIST, array->harvested.bytes,
			    array->harvested.size))
		stn_array_no_memory(array);
	if (is_measure(array) &&
	    stn_folds_add(
		    &result,
		    (struct stn_fold){
			    0, 0, array->history.calls[number - 1].result }))
		stn_array_no_memory(array);
	send_report(array, caller, header, &result, &harvest);
}

static enum stn_err
folds_append(struct stn_folds *to, const struct stn_folds *from)
{
	enum stn_err err = STN_OK;

	for (size_t i = 0; !err && i < from->count; i++)
		err = stn_folds_add(to, from->folds[i]);
	return err;
}

/* What has been gathered goes to the parent, or is the root's result. */
static void
pass_gathered(struct stn_parts *array, uint32_t to)
{
	struct stn_gather *gather = &array->gather;
	const struct stn_parts_finished header = { array->id, gather->number,
						   array->service->view,
						   gather->nodes,
						   gather->parts };

	gather->nodes = 0;
	gather->parts = 0;
	if (to != STN_NOBODY) {
		send_report(array, to, header, &gather->folds,
			    &gather->harvest);
		return;
	}
	if (!array->done &&
	    (folds_append(&array->result, &gather->folds) ||
	     stn_harvest_add(&array->harvested, stn_cells_harvests(array),
			     gather->harvest.bytes, gather->harvest.size)))
		stn_array_no_memory(array);
	gather->folds.count = 0;
	gather->harvest.size = 0;
	gather_result(array, header.nodes, header.parts);
}

void
stn_gather_flush(struct stn_parts *array)
{
	struct stn_gather *gather = &array->gather;
	const struct stn_node *node = array->service->node;
	uint32_t nodes = gather->nodes + !gather->reported;

	if (array->unfinished || gather->children_left || array->restoring ||
	    stn_gather_waits(array) || (!nodes && !gather->parts))
		return;
	stn_folds_join(&gather->folds, array->count, folds_largest(array));
	gather->reported = true;
	gather->nodes = nodes;
	pass_gathered(array, stn_membership_parent(&node->members, node->rank,
						   node->cluster));
}

/* Reads the folds of a report. They are in memory or not far (they are small).
 */
static enum stn_err
read_folds(const struct stn_parts *array, const struct stn_fold *from,
	   size_t count, struct stn_folds *to)
{
	for (size_t i = 0; i < count; i++) {
		if (from[i].level > 31 ||
		    (uint64_t)from[i].index << from[i].level >= array->count)
			return STN_MALFORMED;
		if (stn_folds_add(to, from[i]))
			stn_array_no_memory(array);
	}
	return STN_OK;
}

/* A report whose folds are on their way. */
struct landing_report {
	struct stn_parts *array;
	struct stn_parts_finished said;
	bool from_root; /* it is for this node as the caller */
	size_t count;
	struct stn_fold folds[];
};

/* A report of an earlier view, or of parts that have returned, is void. */
static bool
is_current(const struct stn_parts *array, const struct stn_parts_finished *said)
{
	return said->number == array->gather.number &&
	       said->view == array->service->view &&
	       said->array.generation == array->id.generation &&
	       !array->restoring;
}

static enum stn_err
count_report(struct landing_report *report)
{
	struct stn_parts *array = report->array;
	struct stn_gather *gather = &array->gather;
	enum stn_err err;

	/* The root may also tell again about a call that has returned. */
	if (!is_current(array, &report->said) ||
	    (report->from_root && report->said.number != array->awaited))
		return STN_OK;
	if (stn_cells_harvests(array))
		err = stn_harvest_add(report->from_root ? &array->harvested
							: &gather->harvest,
				      stn_cells_harvests(array), report->folds,
				      report->count * sizeof(report->folds[0]));
	else
		err = read_folds(array, report->folds, report->count,
				 report->from_root ? &array->result
						   : &gather->folds);
	if (err)
		return err;
	if (report->from_root) {
		stn_gather_complete(array);
		return STN_OK;
	}
	/* A child's first report counts its own node. */
	if (report->said.nodes && gather->children_left)
		gather->children_left--;
	gather->nodes += report->said.nodes;
	gather->parts += report->said.parts;
	stn_gather_flush(array);
	return STN_OK;
}

static void
report_landed(void *arg, enum stn_err err)
{
	struct landing_report *report = arg;
	struct stn_node *node = report->array->service->node;

	stn_node_must_arrive(node, "a report of an array", err);
	if (!err && count_report(report))
		stn_node_fail(node,
			      "a node has sent a malformed report of an array");
	free(report);
}

void
stn_gather_take(struct stn_parts *array, const struct stn_message *message,
		const struct stn_parts_finished *said)
{
	size_t bytes = message->payload_bytes;
	struct landing_report *report = malloc(sizeof(*report) + bytes);
	struct iovec piece;

	if (!report)
		stn_array_no_memory(array);
	*report = (struct landing_report){
		array,
		*said,
		/* The root sends reports only to the caller, never down. */
		message->from == array->service->node->members.root,
		bytes / sizeof(struct stn_fold),
	};
	piece = (struct iovec){ report->folds, bytes };
	if (bytes)
		stn_early_take(array->service, message, &piece, 1,
			       report_landed, report);
	else
		report_landed(report, STN_OK);
}
