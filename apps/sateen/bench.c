/*
 * bench.c: finds the program that has a benchmark, and starts it as the nodes
 * of a run. If this process already is a node of a run, it becomes that
 * program.
 */
#include "apps/sateen/commands.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch/tool.h"
#include "transport/own_program.h"

/* @spin: how long an idle worker polls, unless the user sets --spin. */
static const struct benchmark {
	const char *name, *program, *spin, *help;
	bool alone; /* the program starts its nodes itself */
} benchmarks[] = {
	{ "latency", "sateen-fabric", NULL, "round trip of an active message" },
	{ "throughput", "sateen-fabric", NULL, "stream of large payloads" },
	{ "rate", "sateen-fabric", NULL, "small messages a second" },
	{ "overlap", "sateen-fabric", NULL,
	  "what transfers cost a computation" },
	{ "steal", "sateen-steal", "1s", "from a steal request to its answer" },
	{ "spawn", "sateen-steal", "10s",
	  "from a spawn to the result of a stolen call" },
	{ "death", "sateen-death", NULL,
	  "until a node knows that another one has died", true },
};

#define BENCHMARKS (sizeof(benchmarks) / sizeof(benchmarks[0]))

static int
help(FILE *out)
{
	fputs("usage: sateen bench BENCHMARK [settings] [options]\n"
	      "Measures between two nodes on this host. Settings are those of "
	      "`sateen run`,\nbut for `death`, which has only its own options. "
	      "Each benchmark's --help lists\nits options.\n\n",
	      out);
	for (size_t i = 0; i < BENCHMARKS; i++)
		fprintf(out, "  %-11s %s\n", benchmarks[i].name,
			benchmarks[i].help);
	return out == stdout ? EXIT_SUCCESS : 2;
}

static bool
asks_for_help(int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	return false;
}

static bool
find(const char *program, char path[PATH_MAX])
{
	static const char *const places[] = { ".", "../libexec/sateen",
					      PKGLIBEXECDIR, NULL };

	return stn_own_find(places, program, path, PATH_MAX);
}

static int
run(const struct benchmark *benchmark, int argc, char **argv)
{
	char path[PATH_MAX];

	if (!find(benchmark->program, path)) {
		fprintf(stderr,
			"sateen: can't find %s: %s; it is installed "
			"with sateen\n",
			path, strerror(errno));
		return EXIT_FAILURE;
	}
	argv[0] = path;
	if (benchmark->alone || asks_for_help(argc, argv) ||
	    getenv("STN_RANK")) {
		execv(path, argv);
		perror("sateen");
		return EXIT_FAILURE;
	}
	if (benchmark->spin)
		setenv("STN_SPIN", benchmark->spin,
		       0); /* the user's STN_SPIN stays */
	return stn_launch_tool(argc, argv);
}

int
bench(int argc, char **argv)
{
	if (argc < 2)
		return help(stderr);
	for (size_t i = 0; i < BENCHMARKS; i++)
		if (!strcmp(argv[1], benchmarks[i].name))
			return run(&benchmarks[i], argc, argv);
	if (asks_for_help(2, argv))
		return help(stdout);
	fprintf(stderr,
		"sateen: no benchmark \"%s\"; see sateen bench --help\n",
		argv[1]);
	return 2;
}
