/*
 * sateen-fabric: measures the messages between two nodes and, beside them, the
 * bare fabric. `sateen bench latency|throughput|rate|overlap` starts it.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "bench/fabric/bare.h"
#include "bench/fabric/measure.h"
#include "launch/config_check.h"

#define PATIENCE_MS 2000 /* time for a second try to connect */

struct program {
	int argc;
	char **argv;
};

/* What each node tells the other about its end of a bare path. */
struct greeting {
	uint64_t opened; /* 1 if the path could be opened */
	unsigned char address[PATH_ADDRESS_BYTES - sizeof(uint64_t)];
};

/*
 * Binds this node to the processor number @rank among those that the process
 * may use. Returns the processor, or -1 if there are fewer than nodes.
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

/* Called by both nodes. Fills in @cores with the processor of each, or -1. */
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

/*
 * Called by both nodes. Opens and connects a bare path; NULL on both nodes if
 * either end fails.
 */
static struct path *
open_bare(struct ours *ours, const struct path_ops *ops,
	  const struct path_opening *opening, struct stn_why *why)
{
	struct greeting mine = { 0 }, theirs;
	struct path *path = NULL;
	size_t bytes = 0;
	uint64_t opened;

	*why = (struct stn_why){ "the other node can't open it" };
	if (!path_open(ops, opening, &path, why)) {
		mine.opened = 1;
		bytes = ops->address(path, mine.address);
	}
	bytes = ours_swap(ours, &mine, sizeof(mine.opened) + bytes,
			  (unsigned char *)&theirs);
	opened = mine.opened && bytes > sizeof(mine.opened) && theirs.opened;
	if (opened &&
	    path_join(path, theirs.address, bytes - sizeof(theirs.opened), why))
		opened = 0;
	/* Tell each other whether connecting succeeded: both ends or none. */
	ours_swap(ours, &opened, sizeof(opened), (unsigned char *)&theirs);
	if (opened && theirs.opened)
		return path;
	if (path)
		path_close(path);
	return NULL;
}

/*
 * How long a node waits for the other end of a bare path. Meanwhile it answers
 * no messages of Sateen's, and must not count as dead.
 */
static int
patience_ms(const struct stn_config *config)
{
	uint64_t half_ms = config->silence_ns / 2 / 1000000;

	return half_ms && half_ms < PATIENCE_MS ? (int)half_ms : PATIENCE_MS;
}

/*
 * Called by both nodes, which open the paths in the same order. Missing paths
 * are noted in @report, which only node 0 has.
 */
static void
open_all_bare(struct measured *measured, const struct stn_joined *joined,
	      size_t most, struct report *report)
{
	const struct stn_config *config = ours_config(measured->ours);
	struct path_opening opening = {
		.rank = joined->rank,
		.wireup = joined->wireup,
		.provider = config->provider,
		.device = config->device,
		.address = stn_config_address(config),
		.patience_ms = patience_ms(config),
		.most = most,
	};
	const struct path_ops *ops;

	if (!stn_config_ports(config, &opening.port, &opening.last_port))
		opening.port = 0; /* can't fail: they were checked */
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
	while (measured->count > 1)
		path_close(measured->paths[--measured->count]);
}

/*
 * Called by both nodes: waits until both have memory for messages. Without it
 * a message could reach a node that has none yet.
 */
static void
await_room(struct ours *ours)
{
	unsigned char theirs[PATH_ADDRESS_BYTES];
	const unsigned char ready = 1;

	ours_swap(ours, &ready, sizeof(ready), theirs);
}

/* Path 0 is Sateen's own, with which the bare paths are compared. */
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
headline(struct report *report, const struct schedule *schedule,
	 const struct measured *measured, const int cores[2])
{
	char where[64] = "not pinned", rounds[32] = "";

	if (cores[0] >= 0 && cores[1] >= 0)
		snprintf(where, sizeof(where), "processors %d and %d", cores[0],
			 cores[1]);
	if (schedule->rounds)
		snprintf(rounds, sizeof(rounds), ", %ld rounds",
			 schedule->rounds);
	report_headline(report,
			"sateen bench %s: transport %s, provider %s, %s%s",
			schedule->name, measured->transport, measured->provider,
			where, rounds);
}

static enum stn_err
lead(struct measured *measured, const struct stn_joined *joined,
     const struct schedule *schedule, struct report *report,
     struct stn_why *why)
{
	struct ours_order order = { OURS_OPEN,
				    !schedule->no_bare &&
					    schedule->kind != SCHEDULE_OVERLAP,
				    schedule->most, 0 };
	const struct stn_config *config = ours_config(measured->ours);
	enum stn_err err;
	int cores[2];

	measured->transport = stn_config_transport(config);
	measured->provider = config->provider;
	ours_order(measured->ours, order);
	pin_both(measured->ours, joined, cores);
	headline(report, schedule, measured, cores);
	err = open_paths(measured, joined, &order, report, why);
	if (err)
		return err;
	if (schedule->kind == SCHEDULE_OVERLAP)
		measure_overlap(measured, schedule, report);
	else
		measure(measured, schedule, report);
	ours_order(measured->ours, (struct ours_order){ OURS_LEAVE });
	close_bare(measured);
	return STN_OK;
}

/* Node 0: reads the command line, orders node 1 about, writes the report. */
static enum stn_err
command(struct measured *measured, const struct stn_joined *joined,
	const struct program *program, int *status_p, struct stn_why *why)
{
	struct app_why complaint;
	struct report *report;
	struct schedule schedule;
	enum stn_err err;

	*status_p = schedule_read(&schedule, program->argc, program->argv);
	if (*status_p == APP_GO_ON)
		*status_p = report_files_check(&schedule.files);
	if (*status_p != APP_GO_ON)
		exit(*status_p); /* it is reported; the launcher ends node 1 */
	report = report_open(&schedule.files, &complaint);
	if (!report)
		exit(app_complain(EXIT_FAILURE, "%s", complaint.text));
	err = lead(measured, joined, &schedule, report, why);
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
	*status_p = EXIT_SUCCESS;
	if (joined->rank)
		err = serve(&measured, joined, why);
	else
		err = command(&measured, joined, program, status_p, why);
	if (!err)
		err = stn_wireup_barrier(joined->wireup, why);
	ours_close(measured.ours);
	return err;
}

/* A single node only handles --help and errors of the command line. */
static enum stn_err
tell(const struct program *program, int *status_p, struct stn_why *why)
{
	struct schedule schedule;

	*status_p = schedule_read(&schedule, program->argc, program->argv);
	if (*status_p != APP_GO_ON)
		return STN_OK;
	return stn_because(why, STN_INVALID,
			   "this benchmark needs two nodes; use `sateen bench "
			   "%s`",
			   schedule.name);
}

static enum stn_err
take_part(void *arg, const struct stn_joined *joined, int *status_p)
{
	struct stn_why why;
	enum stn_err err;

	if (joined->topology->nodes == 1)
		err = tell(arg, status_p, &why);
	else if (joined->topology->nodes != 2)
		err = stn_because(
			&why, STN_INVALID,
			"messages are measured between two nodes, not "
			"%u; leave --nodes out",
			joined->topology->nodes);
	else if (joined->sim)
		err = stn_because(&why, STN_INVALID,
				  "messages are measured in real time; use "
				  "another transport than sim");
	else
		err = between_two(joined, arg, status_p, &why);
	if (err)
		stn_wireup_abort(joined->wireup, why.text);
	return err;
}

int
main(int argc, char **argv)
{
	static char name[48]; /* the command as the user typed it */
	struct program program = { argc, argv };

	snprintf(name, sizeof(name), "sateen bench%s%.16s", argc > 1 ? " " : "",
		 argc > 1 ? argv[1] : "");
	program_invocation_short_name = name;
	return stn_join(take_part, &program);
}
