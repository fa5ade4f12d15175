#include <stdlib.h>
#include <string.h>

#include "apps/fmm/fmm.h"

static int
as_one_part(const struct fmm_plan *plan, const struct fmm_space *space,
	    const struct fmm_body *sorted, size_t count,
	    struct fmm_field *fields, struct fmm_work *work)
{
	struct fmm_place everything = { 0 };
	struct fmm_summary *summary;
	struct fmm_task task = { .own = { .bodies = sorted } };
	int status;

	if (fmm_summarise(plan, space, everything, sorted, count, &summary) < 0)
		return -1;
	task.own.summary = summary;
	status = fmm_evaluate(plan, space, &task, fields, work);
	free(summary);
	return status;
}

static struct fmm_body
moved(const struct fmm_body *body, const double away[3])
{
	return (struct fmm_body){ body->x - away[0], body->y - away[1],
				  body->z - away[2], body->charge };
}

int
fmm_whole(const struct fmm_plan *plan, const struct fmm_body *bodies,
	  size_t count, struct fmm_field *fields, struct fmm_work *work)
{
	struct fmm_space space = fmm_space(bodies, count);
	uint32_t *order = malloc((count + 1) * sizeof *order);
	struct fmm_body *sorted = malloc((count + 1) * sizeof *sorted);
	struct fmm_field *found = malloc((count + 1) * sizeof *found);
	double away[3];
	int status = order && sorted && found ? 0 : -1;

	fmm_divide(&space, fmm_across(plan, count));
	if (status == 0)
		status = fmm_sort(&space, bodies, count, order);
	if (status == 0) {
		fmm_recentre(&space, away);
		for (size_t i = 0; i < count; i++)
			sorted[i] = moved(&bodies[order[i]], away);
		status = as_one_part(plan, &space, sorted, count, found, work);
	}
	for (size_t i = 0; i < count && status == 0; i++)
		fields[order[i]] = found[i];
	free(order);
	free(sorted);
	free(found);
	return status;
}
