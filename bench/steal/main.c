/*
 * main.c: the command line of sateen-steal. In `spawn` both nodes run a Sateen
 * program. In `steal` only node 0 does; node 1 is a thief that sends and
 * answers messages as a node does.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "apps/app.h"
#include "bench/steal/steal.h"
#include "bench/steal/wake.h"
#include "bench/ticks.h"
#include "launch/join.h"
#include "launch/settings.h"

const char steal_help[] =
	"usage: sateen bench spawn|steal [settings] [options]\n"
	"Measures stealing between two nodes. Settings are those of `sateen "
	"run`.\n"
	"\n"
	"spawn  time from the spawn of an empty call to its result, run by "
	"the other\n"
	"       node; the round trip of a message; and the rate of such calls "
	"with an\n"
	"       array\n"
	"steal  time from a steal request to its answer, while the victim "
	"computes,\n"
	"       waits awake, or sleeps; and bare wake-ups of a thread\n"
	"\n"
	"  -r, --rounds ROUNDS    samples of each kind (default 1000)\n"
	"  -b, --bytes BYTES      size of the array (default 100000)\n"
	"  -g, --gap US           pause between samples, in microseconds "
	"(default\n"
	"                         300)\n" REPORT_HELP
	"  -h, --help             show this\n";

static struct steal_options options = { .rounds = 1000,
					.bytes = 100000,
					.gap_us = 300 };

void
steal_settings(struct stn_config *config)
{
	stn_config_defaults(config);
	if (stn_config_environment(config, NULL))
		abort(); /* the run has already accepted them */
}

void
steal_compute(uint64_t ns)
{
	uint64_t end = ticks_clock_ns() + ns;

	while (ticks_clock_ns() < end)
		;
}

/* Adds @row with the run's transport and the number of samples. */
static void
add_row(struct report *report, struct report_row row,
	const struct sample *sample)
{
	static struct stn_config config; /* the rows point to its texts */

	steal_settings(&config);
	row.transport = stn_config_transport(&config);
	row.provider = config.provider;
	row.samples = sample->count;
	report_add(report, &row);
}

void
steal_row(struct report *report, const char *benchmark, const char *path,
	  struct sample *sample)
{
	struct report_row row = {
		.benchmark = benchmark,
		.path = path,
		.median = sample_at(sample, 50) / 1e3,
		.p99 = sample_at(sample, 99) / 1e3,
		.unit = "us",
	};

	add_row(report, row, sample);
}

void
steal_rate_row(struct report *report, const char *benchmark, const char *path,
	       uint64_t bytes, struct sample *sample)
{
	struct report_row row = {
		.benchmark = benchmark,
		.path = path,
		.bytes = bytes,
		.median = (double)bytes / sample_at(sample, 50),
		.p99 = (double)bytes / sample_at(sample, 99),
		.unit = "GB/s",
	};

	add_row(report, row, sample);
}

static int
read_options(int argc, char **argv)
{
	const struct app_option table[] = {
		{ 'r', "rounds", "ROUNDS", .number = &options.rounds,
		  .least = 1, .most = SAMPLE_MOST },
		{ 'b', "bytes", "BYTES", .number = &options.bytes, .least = 1,
		  .most = 1 << 30 },
		{ 'g', "gap", "US", .number = &options.gap_us, .least = 0,
		  .most = 1000000 },
		REPORT_OPTIONS(options.files),
		{ 0 },
	};
	int status;

	status = app_options(argc, argv, steal_help, table);
	return status == APP_GO_ON ? report_files_check(&options.files)
				   : status;
}

/* Reads the options without messages: node 0 prints the same ones. */
static bool
read_quietly(int argc, char **argv)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC), saved = dup(2);
	bool right;

	dup2(null, 2);
	right = read_options(argc, argv) == APP_GO_ON;
	dup2(saved, 2);
	close(null);
	close(saved);
	return right;
}

static int
body(struct stn_frame *stn_frame, int argc, char **argv)
{
	int status = read_options(argc - 1, argv + 1);

	if (status != APP_GO_ON)
		return status;
	if (!strcmp(argv[1], "spawn"))
		return spawn_main(stn_frame, &options);
	return victim_main(stn_frame);
}

/*
 * Binds each node to a processor of its own. The thread that answers node 0's
 * messages then competes with its worker, as on a host full of workers.
 */
static void
keep_to(uint32_t number)
{
	cpu_set_t allowed, one;
	uint32_t count;
	int cpu = 0;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return;
	count = (uint32_t)CPU_COUNT(&allowed);
	for (number %= count; !CPU_ISSET(cpu, &allowed) || number--; cpu++)
		;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

/* Runs `steal`: node 1 is the thief, node 0 the victim. */
static int
steal(int argc, char **argv)
{
	const char *rank = getenv(STN_JOIN_RANK);
	bool thief = rank && !strcmp(rank, "1");

	keep_to(thief);
	if (thief && !read_quietly(argc - 1, argv + 1))
		options.rounds = 0;
	if (thief)
		return thief_main(&options);
	if (!wake_start())
		return app_complain(EXIT_FAILURE,
				    "can't start the thread that is woken");
	setenv("STN_PIN", "no", 1);
	return stn_main(argc, argv, body);
}

/* Checks that there are two nodes in two processes; one line if not. */
static int
check_settings(void)
{
	struct stn_config config;
	const char *transport;

	steal_settings(&config);
	transport = stn_config_transport(&config);
	if (config.nodes == 2 && strcmp(transport, "loop") &&
	    strcmp(transport, "sim"))
		return APP_GO_ON;
	stn_join_complain(config.nodes == 2
				  ? "steals are between two processes; use "
				    "another transport than loop or sim"
				  : "steals are measured between two nodes; "
				    "leave -n as it is");
	return EXIT_FAILURE;
}

int
main(int argc, char **argv)
{
	static char name[48]; /* the command as the user typed it */
	int status;

	snprintf(name, sizeof(name), "sateen bench%s%.16s", argc > 1 ? " " : "",
		 argc > 1 ? argv[1] : "");
	program_invocation_short_name = name;
	if (argc < 2 || (strcmp(argv[1], "spawn") && strcmp(argv[1], "steal")))
		return fputs(steal_help, stderr) < 0 ? 1 : APP_USAGE;
	if (argc == 3 && (!strcmp(argv[2], "--help") || !strcmp(argv[2], "-h")))
		return read_options(argc - 1, argv + 1);
	status = check_settings();
	if (status != APP_GO_ON)
		return status;
	if (!strcmp(argv[1], "steal"))
		return steal(argc, argv);
	return stn_main(argc, argv, body);
}
