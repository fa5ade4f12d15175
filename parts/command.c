#include "parts/command.h"

#include <inttypes.h>
#include <string.h>

#include "node/dispatch.h"
#include "node/membership_tree.h"
#include "parts/array.h"
#include "parts/gather.h"
#include "parts/ready.h"
#include "parts/scheduler.h"
#include "steal/steal.h"

static uint32_t
list_children(const struct stn_node *node,
	      uint32_t children[STN_MEMBERSHIP_CHILDREN])
{
	return stn_membership_children(&node->members, node->rank,
				       node->cluster, children);
}

static struct stn_grid
grid_of(const struct stn_parts_create *create)
{
	return (struct stn_grid){
		.planes = create->planes,
		.rows = create->rows,
		.columns = create->columns,
		.element = create->element,
		.number = create->number,
		.halo = create->halo,
		.copies = create->copies,
		.colours = create->colours,
		.block = create->block,
		.part_planes = create->part_planes,
		.part_rows = create->part_rows,
		.part_columns = create->part_columns,
		.star = create->star,
		.periodic = create->periodic,
	};
}

static enum stn_err
carry_out_create(struct stn_parts_service *service,
		 const struct stn_parts_create *create, uint32_t children)
{
	struct stn_grid grid = grid_of(create);
	struct stn_shape shape;
	struct stn_parts *array = NULL;
	struct stn_why why;

	if (stn_shape_init(&shape, &grid, &why) || !create->nodes ||
	    create->nodes > service->node->topology->nodes)
		return STN_MALFORMED;
	/* The caller's node has made its array already. */
	if (create->array.rank == service->node->rank)
		array = stn_array_find(service, create->array);
	if (array && array->scheduling)
		return STN_MALFORMED;
	if (!array)
		array = stn_array_create(service, create, &shape);
	if (!array)
		stn_node_fail(service->node, "out of memory");
	if (stn_array_place(array, &why))
		stn_node_fail(service->node, "%s", why.text);
	stn_scheduler_created(array);
	stn_gather_begin(array, children);
	array->gather.parts = array->here;
	stn_gather_flush(array);
	return STN_OK;
}

static void
operation_begin_part(struct stn_part *part, void *arg)
{
	(void)arg;
	if (part->finished == part->array->operation.order.number)
		return; /* it came from a node that had begun before */
	part->array->unfinished++;
	if (stn_part_is_meant(part))
		stn_part_consider(part);
	else
		stn_gather_part(part);
}

/* How much an operation raises the version of each part. */
static uint64_t
count_blocks(const struct stn_parts *array,
	     const struct stn_parts_operate *order)
{
	switch (order->what) {
	case STN_PARTS_FILL:
	case STN_PARTS_REFRESH:
		return 1;
	case STN_PARTS_SWEEPS:
		return (order->sweeps + array->shape.block - 1) /
		       array->shape.block;
	}
	return 0;
}

/* Whether the array's last operation has another caller, and is not finished. */
static bool
is_shared(const struct stn_parts *array, const struct stn_parts_operate *order)
{
	return array->unfinished || array->gather.children_left ||
	       order->number != array->operation.order.number + 1 ||
	       (array->calling &&
		order->caller != array->service->node->rank);
}

static enum stn_err
carry_out_operate(struct stn_parts_service *service,
		  const struct stn_parts_operate *order, uint32_t children)
{
	struct stn_parts *array = stn_array_find(service, order->array);

	if (!array)
		return STN_MALFORMED;
	if (is_shared(array, order))
		stn_array_shared(array);
	array->operation = (struct stn_operation){
		.order = *order,
		.base = array->version,
		.blocks = count_blocks(array, order),
		.active = true,
	};
	if (order->what < STN_PARTS_FREE)
		array->operation.kernel =
			service->program->table.tasks[order->task_id];
	if (order->what == STN_PARTS_BOUNDARY) {
		array->boundary.kernel = array->operation.kernel;
		memcpy(array->boundary.record.arguments, order->arguments,
		       order->argument_bytes);
	}
	array->version += array->operation.blocks;
	array->unfinished = 0;
	stn_gather_begin(array, children);
	if (service->scheduler->begins)
		service->scheduler->begins(array);
	if (order->what == STN_PARTS_FREE) {
		/* Parts that move at the moment are nowhere: count them here.
		 */
		if (order->caller == service->node->rank)
			array->gather.parts = array->count;
		array->operation.active = false;
		stn_array_clear(array);
	} else {
		stn_array_each(array, operation_begin_part, NULL);
	}
	stn_gather_flush(array);
	return STN_OK;
}

static enum stn_err
command_carry_out(struct stn_parts_service *service,
		  const struct stn_parts_wire *wire, const void *header,
		  size_t bytes)
{
	uint32_t children[STN_MEMBERSHIP_CHILDREN];
	uint32_t count = list_children(service->node, children);

	for (uint32_t i = 0; i < count; i++)
		stn_node_say(service->node, children[i], wire->kind, header,
			     bytes);
	if (wire->kind == STN_PARTS_KIND_CREATE)
		return carry_out_create(service, &wire->create, count);
	return carry_out_operate(service, &wire->operate, count);
}

enum stn_err
stn_command_take(struct stn_parts_service *service,
		 const struct stn_message *message,
		 const struct stn_parts_wire *wire)
{
	return command_carry_out(service, wire, message->header,
				 message->header_bytes);
}

void
stn_command_issue(struct stn_parts_service *service, uint8_t kind,
		  const void *header, size_t bytes)
{
	struct stn_node *node = service->node;
	struct stn_parts_wire wire = { .kind = kind };

	if (node->members.root != node->rank) {
		stn_node_say(node, node->members.root, kind, header, bytes);
		return;
	}
	memcpy(&wire.create, header, bytes);
	if (command_carry_out(service, &wire, header, bytes))
		stn_node_fail(node, "this node has refused its own command "
			      "for an array; please report that");
}
