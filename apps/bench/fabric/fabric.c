/*
 * sateen-fabric: measures the messages between two nodes, and the bare fabric
 * next to them. `sateen bench latency` and its like start it.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "apps/bench/fabric/bare.h"
#include "apps/bench/fabric/measure.h"

struct program {
	int argc;
	char **argv;
};

/* What both nodes know of the other's end of a bare path. */
struct greeting {
	uint64_t opened;
	unsigned char address[PATH_ADDRESS_BYTES - sizeof(uint64_t)];
};

/*
 * A processor for each node of this host, in order of rank, from those that
 * the process may use. Returns which, or -1: there are too few.
 */
static int
pin(const struct stn_joined *joined)
{
	uint32_t left = joined->rank;
	cpu_set_t allowed, one;

	if (!strcmp(joined->config->pin, "no") ||
	    sched_getaffinity(0, sizeof(allowed), &allowed) ||
	    (uint32_t)CPU_COUNT(&allowed) < joined->topology->nodes)
		return -1;
	for (int i = 0; i < CPU_SETSIZE; i++) {
		if (!CPU_ISSET(i, &allowed) || left--)
			continue;
		CPU_ZERO(&one);
		CPU_SET(i, &one);
		return sched_setaffinity(0, sizeof(one), &one) ? -1 : i;
	}
	return -1;
}

/* Both nodes; @cores says where each is. */
static void
pin_both(struct ours *ours, const struct stn_joined *joined, int cores[2])
{
	unsigned char theirs[PATH_ADDRESS_BYTES];
	int mine = pin(joined), other = -1;

	if (ours_swap(ours, &mine, sizeof(mine), theirs) == sizeof(other))
		memcpy(&other, theirs, sizeof(other));
	cores[joined->rank] = mine;
	cores[!joined->rank] = other;
}

/* Opens a bare path at both ends; on failure at either, at none. */
static struct path *
open_bare(struct ours *ours, const struct path_ops *ops,
	  const struct path_opening *opening, struct stn_why *why)
{
	struct greeting mine = { 0 }, theirs;
	struct path *path = NULL;
	size_t bytes = 0;
	uint64_t opened;

	*why = (struct stn_why){ "not at the other node" };
	if (!ops->open(opening, &path, why)) {
		mine.opened = 1;
		bytes = ops->address(path, mine.address);
	}
	bytes = ours_swap(ours, &mine, sizeof(mine.opened) + bytes,
			  (unsigned char *)&theirs);
	opened = mine.opened && bytes > sizeof(mine.opened) && theirs.opened;
	if (opened && ops->connect(path, theirs.address,
				   bytes - sizeof(theirs.opened), why))
		opened = 0;
	/* Both ends, or none. */
	ours_swap(ours, &opened, sizeof(opened), (unsigned char *)&theirs);
	if (opened && theirs.opened)
		return path;
	if (path)
		ops->close(path);
	return NULL;
}

/* Both nodes, in the same order. @report, of node 0, hears what is missing. */
static void
open_all_bare(struct measured *measured, const struct stn_joined *joined,
	      size_t most, struct report *report)
{
	const struct stn_config *config = joined->config;
	const struct path_opening opening = {
		.rank = joined->rank,
		.wireup = joined->wireup,
		.provider = config->provider,
		.device = config->device,
		.address = stn_config_address(config),
		.most = most,
	};
	const struct path_ops *ops;

	for (unsigned i = 0; (ops = bare_find(stn_config_transport(config),
					      config->provider, i));
	     i++) {
		struct stn_why why;
		struct path *path =
			open_bare(measured->ours, ops, &opening, &why);

		if (path)
			measured->paths[measured->count++] = path;
		else if (report)
			report_note(report, "without %s: %s", ops->name,
				    why.text);
	}
}

static void
close_bare(struct measured *measured)
{
	while (measured->count > 1) {
		struct path *path = measured->paths[--measured->count];

		path->ops->close(path);
	}
}

/* Until both have called this, one may have no place for messages yet. */
static void
await_room(struct ours *ours)
{
	unsigned char theirs[PATH_ADDRESS_BYTES];
	const unsigned char ready = 1;

	ours_swap(ours, &ready, sizeof(ready), theirs);
}

/* Ours first: it is what the others are compared with. */
static enum stn_err
open_paths(struct measured *measured, const struct stn_joined *joined,
	   const struct ours_order *order, struct report *report,
	   struct stn_why *why)
{
	enum stn_err err = ours_path(measured->ours, order->bytes,
				     &measured->paths[0], why);

	if (err)
		return err;
	measured->count = 1;
	await_room(measured->ours);
	if (order->path)
		open_all_bare(measured, joined, order->bytes, report);
	return STN_OK;
}

static enum stn_err
serve(struct measured *measured, const struct stn_joined *joined,
      struct stn_why *why)
{
	struct ours_order order = ours_obey(measured->ours);
	enum stn_err err;
	int cores[2];

	pin_both(measured->ours, joined, cores);
	err = open_paths(measured, joined, &order, NULL, why);
	if (err)
		return err;
	measure_serve(measured);
	close_bare(measured);
	return STN_OK;
}

static void
headline(struct report *report, const struct plan *plan,
	 const struct stn_joined *joined, const int cores[2])
{
	char where[64] = "not pinned", rounds[32] = "";

	if (cores[0] >= 0 && cores[1] >= 0)
		snprintf(where, sizeof(where), "processors %d and %d", cores[0],
			 cores[1]);
	if (plan->rounds)
		snprintf(rounds, sizeof(rounds), ", %ld rounds", plan->rounds);
	report_headline(report,
			"sateen bench %s: transport %s, provider %s, %s%s",
			plan->name, stn_config_transport(joined->config),
			joined->config->provider, where, rounds);
}

static enum stn_err
lead(struct measured *measured, const struct stn_joined *joined,
     const struct plan *plan, struct report *report, struct stn_why *why)
{
	struct ours_order order = { OURS_OPEN,
				    !plan->no_bare &&
					    plan->kind != PLAN_OVERLAP,
				    plan->most, 0 };
	const struct measured_where where = {
		stn_config_transport(joined->config), joined->config->provider
	};
	enum stn_err err;
	int cores[2];

	ours_order(measured->ours, order);
	pin_both(measured->ours, joined, cores);
	headline(report, plan, joined, cores);
	err = open_paths(measured, joined, &order, report, why);
	if (err)
		return err;
	if (plan->kind == PLAN_OVERLAP)
		measure_overlap(measured, plan, &where, report);
	else
		measure(measured, plan, &where, report);
	ours_order(measured->ours, (struct ours_order){ OURS_LEAVE });
	close_bare(measured);
	return STN_OK;
}

/* Node 0 has the command line, and with it the words. */
static enum stn_err
command(struct measured *measured, const struct stn_joined *joined,
	const struct program *program, int *status_p, struct stn_why *why)
{
	struct app_why complaint;
	struct report *report;
	struct plan plan;
	enum stn_err err;

	*status_p = plan_read(&plan, program->argc, program->argv);
	if (*status_p != APP_GO_ON)
		exit(*status_p); /* it has been said; the launcher ends node 1
				  */
	report = report_open(&plan.files, &complaint);
	if (!report)
		exit(app_complain(EXIT_FAILURE, "%s", complaint.text));
	err = lead(measured, joined, &plan, report, why);
	*status_p = EXIT_SUCCESS;
	if (!report_close(report, &complaint))
		*status_p = app_complain(EXIT_FAILURE, "%s", complaint.text);
	return err;
}

static enum stn_err
between_two(const struct stn_joined *joined, const struct program *program,
	    int *status_p, struct stn_why *why)
{
	struct measured measured = { 0 };
	enum stn_err err = ours_open(joined, &measured.ours, why);

	if (err)
		return err;
	if (joined->rank)
		err = serve(&measured, joined, why);
	else
		err = command(&measured, joined, program, status_p, why);
	if (!err)
		err = stn_wireup_barrier(joined->wireup, why);
	ours_close(measured.ours);
	return err;
}

/* Alone, it can still tell what it does. */
static enum stn_err
tell(const struct program *program, int *status_p, struct stn_why *why)
{
	struct plan plan;

	*status_p = plan_read(&plan, program->argc, program->argv);
	if (*status_p != APP_GO_ON)
		return STN_OK;
	return stn_because(why, STN_INVALID,
			   "this is measured between two nodes; use `sateen "
			   "bench %s`",
			   plan.name);
}

static enum stn_err
take_part(void *arg, const struct stn_joined *joined, int *status_p)
{
	struct stn_why why;
	enum stn_err err;

	if (joined->topology->nodes == 2)
		err = between_two(joined, arg, status_p, &why);
	else if (joined->topology->nodes == 1)
		err = tell(arg, status_p, &why);
	else
		err = stn_because(&why, STN_INVALID,
				  "this is measured between two nodes, not %u; "
				  "leave --nodes away",
				  joined->topology->nodes);
	if (err)
		stn_wireup_abort(joined->wireup, why.text);
	return err;
}

int
main(int argc, char **argv)
{
	static char name[48]; /* what people have called */
	struct program program = { argc, argv };

	snprintf(name, sizeof(name), "sateen bench%s%.16s", argc > 1 ? " " : "",
		 argc > 1 ? argv[1] : "");
	program_invocation_short_name = name;
	return stn_join(take_part, &program);
}
