#include <stdlib.h>
#include <string.h>

#include "apps/fmm/down.h"

/* Surface pairs on the way up and down: each particle, twice. */
static void
count_ways(struct local *local, const struct fmm_task *task)
{
	local->work.surface +=
		2 * targets_of(task) * local->view->plan->surface.count;
}

static int
evaluate(const struct fmm_plan *plan, const struct fmm_space *space,
	 const struct fmm_task *task, struct fmm_field *fields,
	 struct fmm_work *work, bool count_only)
{
	size_t count = targets_of(task);
	struct local local = { 0 };
	struct view view;
	int status = view_init(&view, plan, space, task);

	if (status == 0)
		status = local_init(&local, &view, fields, count_only);
	if (status == 0) {
		if (!count_only)
			memset(fields, 0, count * sizeof *fields);
		walk(&local);
		count_ways(&local, task);
		if (work)
			*work = local.work;
	}
	if (status == 0 && !count_only && count)
		status = down_translate(&local) < 0 ? -1 : down_finish(&local);
	local_finish(&local);
	view_finish(&view);
	return status;
}

int
fmm_evaluate(const struct fmm_plan *plan, const struct fmm_space *space,
	     const struct fmm_task *task, struct fmm_field *fields,
	     struct fmm_work *work)
{
	return evaluate(plan, space, task, fields, work, false);
}

int
fmm_count(const struct fmm_plan *plan, const struct fmm_space *space,
	  const struct fmm_task *task, struct fmm_work *work)
{
	return evaluate(plan, space, task, NULL, work, true);
}

/* Fitted to measured times of all orders, with small and large leaves. */
#define CELL 8000 /* lists, and lanes without particles */

double
fmm_cost(const struct fmm_plan *plan, const struct fmm_work *work)
{
	double frequencies = (double)plan->first[plan->fourier.order];
	double points = (double)plan->surface.count;
	double pair = plan->exact ? 1.2 : 1;
	double frequency = plan->single ? 8 : 16;

	return pair * (double)(work->pairs + work->surface) +
	       frequency * frequencies * (double)work->translations +
	       (points * points + CELL) * (double)work->cells;
}
