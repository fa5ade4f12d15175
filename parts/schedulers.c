#include <stdlib.h>
#include <string.h>

#include "node/progress.h"
#include "parts/scheduler.h"

static const struct stn_scheduler *const schedulers[] = {
	&stn_scheduler_settle,	 &stn_scheduler_equal,	   &stn_scheduler_once,
	&stn_scheduler_smooth,	 &stn_scheduler_factoring, &stn_scheduler_fac2,
	&stn_scheduler_wf,	 &stn_scheduler_awf,	   &stn_scheduler_af,
	&stn_scheduler_fractiling, &stn_scheduler_restless,
};

#define SCHEDULERS (sizeof(schedulers) / sizeof(schedulers[0]))

const struct stn_scheduler *
stn_scheduler_at(size_t number)
{
	return number < SCHEDULERS ? schedulers[number] : NULL;
}

const struct stn_scheduler *
stn_scheduler_find(const char *name)
{
	for (size_t i = 0; i < SCHEDULERS; i++)
		if (!strcmp(schedulers[i]->name, name))
			return schedulers[i];
	return NULL;
}

void
stn_scheduler_list(FILE *out)
{
	for (size_t i = 0; i < SCHEDULERS; i++)
		fprintf(out, "  %-10s %s\n", schedulers[i]->name,
			schedulers[i]->help);
}

void
stn_scheduler_created(struct stn_parts *array)
{
	const struct stn_scheduler *scheduler = array->service->scheduler;
	size_t bytes = scheduler->state_bytes +
		       array->nodes * scheduler->node_bytes +
		       array->count * scheduler->part_bytes;

	array->scheduling = calloc(1, bytes + !bytes);
	if (!array->scheduling)
		stn_node_fail(array->service->node, "out of memory");
	if (scheduler->created)
		scheduler->created(array);
}

void
stn_scheduler_swept(struct stn_part *part)
{
	const struct stn_scheduler *scheduler = part->array->service->scheduler;

	if (scheduler->swept)
		scheduler->swept(part);
}

uint64_t
stn_scheduler_idle(struct stn_parts_service *service)
{
	const struct stn_scheduler *scheduler = service->scheduler;
	uint64_t now = stn_node_now(service->node), until = STN_FOREVER;
	struct stn_parts *array;

	if (!scheduler->idle || service->running || service->ready.count ||
	    service->seat == STN_NOBODY)
		return until; /* a spare node wants no parts */
	SLIST_FOREACH(array, &service->arrays, link)
	if (array->operation.active &&
	    (array->unfinished || !array->here ||
	     (array->cells && scheduler->evens_cells))) {
		uint64_t again = scheduler->idle(array, now);

		until = again < until ? again : until;
	}
	return until;
}

uint64_t
stn_scheduler_look_after(struct stn_parts_service *service, uint64_t now)
{
	const struct stn_scheduler *scheduler = service->scheduler;
	uint64_t until = STN_FOREVER;
	struct stn_parts *array;

	if (!scheduler->look_after)
		return until;
	SLIST_FOREACH(array, &service->arrays, link)
	if (array->operation.active) {
		uint64_t again = scheduler->look_after(array, now);

		until = again < until ? again : until;
	}
	return until;
}
