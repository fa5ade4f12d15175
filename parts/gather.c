#include "parts/gather.h"

#include <stdlib.h>
#include <string.h>

#include "node/dispatch.h"
#include "node/membership_tree.h"
#include "node/sleep.h"
#include "parts/array.h"
#include "parts/points.h"

/* A report under way: its header and its payload. */
struct report {
	struct stn_parts_finished header;
	struct stn_folds folds;
};

static bool
folds_largest(const struct stn_parts *array)
{
	return array->operation.order.what == STN_PARTS_MAX;
}

void
stn_gather_begin(struct stn_parts *array, uint32_t children)
{
	struct stn_gather *gather = &array->gather;

	gather->children_left = children;
	gather->nodes = 0;
	gather->parts = 0;
	gather->reported = false;
	gather->folds.count = 0;
}

void
stn_gather_value(struct stn_part *part, double value)
{
	struct stn_parts *array = part->array;

	if (stn_folds_add(&array->gather.folds,
			  (struct stn_fold){ 0, part->number, value }))
		stn_array_no_memory(array);
}

void
stn_gather_part(struct stn_part *part)
{
	struct stn_parts *array = part->array;

	part->finished = array->operation.order.number;
	array->unfinished--;
	array->gather.parts++;
}

/* Wakes the caller if the operation is finished. */
static void
finish_operation(struct stn_parts *array)
{
	const struct stn_node *node = array->service->node;

	if (array->finished_nodes < node->members.living ||
	    array->finished_parts < array->count || array->missing)
		return;
	stn_folds_join(&array->result, array->count, folds_largest(array));
	array->done = true;
	stn_node_wake(array->service->node);
}

/* The caller's node has a report for the whole run. */
static void
gather_result(struct stn_parts *array, uint32_t nodes, uint64_t parts)
{
	array->finished_nodes += nodes;
	array->finished_parts += parts;
	finish_operation(array);
}

bool
stn_gather_awaits(const struct stn_parts *array, uint32_t part)
{
	return array->missing && part >= array->range.first &&
	       part < array->range.end;
}

void
stn_gather_points(struct stn_parts *array, struct stn_points *points)
{
	array->collected[points->part - array->range.first] = points;
	array->missing--;
	finish_operation(array);
}

static enum stn_err
folds_append(struct stn_folds *to, const struct stn_folds *from)
{
	enum stn_err err = STN_OK;

	for (size_t i = 0; !err && i < from->count; i++)
		err = stn_folds_add(to, from->folds[i]);
	return err;
}

static void
report_done(void *arg, enum stn_err err)
{
	struct report *report = arg;

	(void)err; /* a receiver that has died is told of by a view */
	stn_folds_fini(&report->folds);
	free(report);
}

/* Sends all that has been gathered to @to. */
static void
send_report(struct stn_parts *array, uint32_t to)
{
	struct stn_gather *gather = &array->gather;
	struct report *report = malloc(sizeof(*report));
	struct iovec piece;

	if (!report)
		stn_array_no_memory(array);
	*report = (struct report){
		{ array->id, array->operation.order.number, gather->nodes,
		  gather->parts },
		gather->folds,
	};
	gather->folds = (struct stn_folds){ 0 };
	piece = (struct iovec){ report->folds.folds,
				report->folds.count *
					sizeof(report->folds.folds[0]) };
	stn_node_send(array->service->node, to, STN_PARTS_KIND_FINISHED,
		      &report->header, sizeof(report->header), &piece,
		      piece.iov_len > 0, report_done, report);
}

void
stn_gather_flush(struct stn_parts *array)
{
	struct stn_gather *gather = &array->gather;
	const struct stn_node *node = array->service->node;
	uint32_t to;

	if (array->unfinished || gather->children_left)
		return;
	gather->nodes += !gather->reported;
	gather->reported = true;
	if (!gather->nodes && !gather->parts)
		return;
	stn_folds_join(&gather->folds, array->count, folds_largest(array));
	/* Only now: with many nodes this takes long. */
	to = stn_membership_parent(&node->members, node->rank, node->cluster);
	if (to == STN_NOBODY)
		to = array->operation.order.caller;
	if (to != node->rank) {
		send_report(array, to);
	} else {
		if (folds_append(&array->result, &gather->folds))
			stn_array_no_memory(array);
		gather->folds.count = 0;
		gather_result(array, gather->nodes, gather->parts);
	}
	gather->nodes = 0;
	gather->parts = 0;
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

static bool
is_current(const struct stn_parts *array, const struct stn_parts_finished *said)
{
	return said->number == array->operation.order.number;
}

static enum stn_err
count_report(struct landing_report *report)
{
	struct stn_parts *array = report->array;
	struct stn_gather *gather = &array->gather;
	enum stn_err err;

	if (!is_current(array, &report->said))
		return STN_MALFORMED;
	err = read_folds(array, report->folds, report->count,
			 report->from_root ? &array->result : &gather->folds);
	if (err)
		return err;
	if (report->from_root) {
		gather_result(array, report->said.nodes, report->said.parts);
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

	if (!err && count_report(report))
		stn_node_fail(report->array->service->node,
			      "a node has sent a malformed report of an array");
	free(report);
}

enum stn_err
stn_gather_take(struct stn_parts *array, const struct stn_message *message,
		const struct stn_parts_finished *said)
{
	struct stn_node *node = array->service->node;
	size_t bytes = message->payload_bytes;
	struct landing_report *report = malloc(sizeof(*report) + bytes);
	struct iovec piece;

	if (!report)
		stn_array_no_memory(array);
	*report = (struct landing_report){
		array,
		*said,
		/* The root sends reports only to the caller, never down. */
		message->from == node->members.root,
		bytes / sizeof(struct stn_fold),
	};
	piece = (struct iovec){ report->folds, bytes };
	if (bytes)
		stn_transport_take(node->transport, message, &piece, 1,
				   report_landed, report);
	else
		report_landed(report, STN_OK);
	return STN_OK;
}
