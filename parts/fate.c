#include "parts/fate.h"

#include "parts/cells/cells.h"
#include "parts/points.h"
#include "parts/survive/restore.h"

static enum stn_fate
fate_by(uint32_t number, uint32_t mine)
{
	return number < mine ? STN_NEVER : number > mine ? STN_LATER : STN_NOW;
}

/* Whether a message is about the parts as they are, were, or will be. */
static enum stn_fate
fate_by_generation(uint32_t generation, uint32_t mine)
{
	if (generation == mine)
		return STN_NOW;
	return stn_generation_before(generation, mine) ? STN_NEVER : STN_LATER;
}

static bool
is_join(const struct stn_parts *array, const struct stn_parts_wire *wire)
{
	return array->cells && wire->kind == STN_PARTS_KIND_OPERATE &&
	       wire->operate.what == STN_CELLS_JOIN;
}

/*
 * Commands to the root come from callers, and get their view there. A new root
 * does not know the arrays' state before the notices of its view.
 */
static enum stn_fate
fate_at_root(const struct stn_parts_service *service,
	     const struct stn_parts *array, const struct stn_parts_wire *wire)
{
	if (wire->kind != STN_PARTS_KIND_OPERATE || !array)
		return STN_NOW;
	if (array->freed) /* if it restores, its maker has died */
		return array->restoring ? STN_NEVER : STN_NOW;
	return array->restoring || array->repeating ||
			       service->noticed != service->view
		       ? STN_LATER
		       : STN_NOW;
}

static enum stn_fate
fate_of_command(const struct stn_parts_service *service,
		const struct stn_parts *array,
		const struct stn_parts_wire *wire)
{
	uint32_t view =
		wire->kind == STN_PARTS_KIND_CREATE    ? wire->create.view
		: wire->kind == STN_PARTS_KIND_OPERATE ? wire->operate.view
		: wire->kind == STN_PARTS_KIND_VERSION ? wire->version.view
						       : wire->outcome.view;

	if (service->node->rank == service->node->members.root)
		return fate_at_root(service, array, wire);
	if (view != service->view)
		return fate_by(view, service->view);
	if (array && array->restoring)
		return STN_LATER;
	/* A node that has joined may get a command before KNOW. */
	if (!array || !array->scheduling)
		return wire->kind == STN_PARTS_KIND_CREATE ||
				       (array && array->freed)
			       ? STN_NOW
			       : STN_LATER;
	/* The root may send it again after its own parts are new. */
	if (is_join(array, wire) &&
	    stn_generation_same_view(wire->array.generation,
				     array->id.generation) &&
	    stn_generation_before(array->id.generation, wire->array.generation))
		return STN_NOW;
	return fate_by_generation(wire->array.generation, array->id.generation);
}

static enum stn_fate
fate_of_report(const struct stn_parts *array,
	       const struct stn_parts_finished *said)
{
	if (said->view != array->service->view)
		return fate_by(said->view, array->service->view);
	return fate_by(said->number, array->gather.number);
}

/* Records travel before the parts are replaced, or after that. */
static enum stn_fate
fate_of_rows(const struct stn_parts *array, const struct stn_parts_rows *rows)
{
	if (array->freed)
		return STN_NEVER;
	if (!stn_generation_same_view(rows->array.generation,
				      array->id.generation))
		return fate_by_generation(rows->array.generation,
					  array->id.generation);
	return fate_by(rows->serial, array->cells->next_serial);
}

enum stn_fate
stn_fate_of(const struct stn_parts_service *service,
	    const struct stn_parts *array, const struct stn_parts_wire *wire)
{
	switch (wire->kind) {
	case STN_PARTS_KIND_CREATE:
	case STN_PARTS_KIND_OPERATE:
	case STN_PARTS_KIND_OUTCOME:
	case STN_PARTS_KIND_VERSION:
		return fate_of_command(service, array, wire);
	case STN_PARTS_KIND_KNOW:
		if (wire->know.view == service->view && array &&
		    stn_restore_forgets(array))
			return STN_LATER;
		return fate_by(wire->know.view, service->view);
	case STN_PARTS_KIND_CLEAR:
	case STN_PARTS_KIND_NOTED:
		return STN_NOW;
	case STN_PARTS_KIND_STORED:
		return fate_by(wire->stored.view, service->view);
	case STN_PARTS_KIND_REVIVE:
		return fate_by(wire->revive.view, service->view);
	case STN_PARTS_KIND_NEED:
	case STN_PARTS_KIND_REVIVED:
		return fate_by(wire->need.view, service->view);
	case STN_PARTS_KIND_PLAN:
		if (service->node->rank != service->node->members.root &&
		    wire->plan.view != service->view)
			return fate_by(wire->plan.view, service->view);
	}
	if (wire->kind == STN_PARTS_KIND_GIVE && array &&
	    stn_generation_before(wire->array.generation, array->id.generation))
		return STN_NEVER; /* so no leaving node waits for it */
	if (array && array->freed && !array->scheduling)
		return STN_NEVER; /* the node that had made it has died */
	if (!array || !array->scheduling || array->restoring)
		return STN_LATER;
	if (wire->kind >= STN_PARTS_KIND_PLAN && !array->cells)
		return STN_NOW; /* to be refused */
	if (wire->kind == STN_PARTS_KIND_PLAN)
		return array->freed ? STN_NEVER : STN_NOW;
	if (array->cells && array->cells->plans_due)
		return STN_LATER;
	if (wire->kind == STN_PARTS_KIND_COPY)
		return array->freed ? STN_NEVER : STN_NOW;
	if (wire->kind == STN_PARTS_KIND_ROWS)
		return fate_of_rows(array, &wire->rows);
	if (wire->kind == STN_PARTS_KIND_HOMES)
		return STN_NOW; /* must be answered, whatever the generation */
	if (wire->array.generation != array->id.generation)
		return fate_by_generation(wire->array.generation,
					  array->id.generation);
	if (wire->kind == STN_PARTS_KIND_FINISHED)
		return fate_of_report(array, &wire->finished);
	if (wire->kind == STN_PARTS_KIND_SAFE &&
	    wire->safe.view != service->view)
		return fate_by(wire->safe.view, service->view);
	if (wire->kind == STN_PARTS_KIND_FETCH && !array->freed &&
	    wire->points.part < array->count &&
	    !stn_points_ready(array, wire->points.part))
		return STN_LATER;
	return array->freed ? STN_NEVER : STN_NOW;
}
