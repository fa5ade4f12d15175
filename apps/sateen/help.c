/*
 * help.c: `sateen help`: shows a manual page or a guide. In a build tree the
 * pages are those of the source; of an installed sateen, also of one that was
 * moved, the installed ones.
 */
#include "apps/sateen/commands.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "transport/own_program.h"

/* @section: of the manual page @file; none for a guide, which is docs/@file. */
static const struct topic {
	const char *name, *file;
	char section;
	const char *what;
} topics[] = {
	{ "tutorial", "tutorial.md", 0,
	  "from fib to a ray tracer on clusters" },
	{ "install", "install.md", 0, "packages and building" },
	{ "clusters", "guides/clusters.md", 0, "clusters, Slurm, mpirun" },
	{ "networks", "guides/networks.md", 0, "fabrics, UCX, firewalls" },
	{ "sites", "guides/sites.md", 0, "several sites, gateways" },
	{ "simulation", "guides/simulation.md", 0, "runs in virtual time" },
	{ "search", "guides/search.md", 0, "bounds, scopes, constants" },
	{ "parts", "guides/parts.md", 0, "grids and cells that move" },
	{ "survival", "guides/survival.md", 0, "deaths, leaving, joining" },
	{ "trouble", "guides/trouble.md", 0, "hangs, crashes, memory" },
	{ "tuning", "guides/tuning.md", 0, "where the time goes, balancers" },
	{ "tracing", "guides/tracing.md", 0, "traces, reports, speedup" },
	{ "watching", "guides/watching.md", 0, "progress, metrics, top" },
	{ "reference", "reference.md", 0, "settings, calls, programs" },
	{ "abi", "abi.md", 0, "compatibility of versions" },
	{ "numbers", "numbers.md", 0, "measurements" },
	{ "cilk", "from/cilk.md", 0, "for users of Cilk" },
	{ "openmp", "from/openmp.md", 0, "for users of OpenMP" },
	{ "mpi", "from/mpi.md", 0, "for users of MPI" },
	{ "charm", "from/charm.md", 0, "for users of Charm++" },
	{ "satin", "from/satin.md", 0, "for users of Satin" },
	{ "sateen", "sateen", '1', "the command, and sateen sim" },
	{ "run", "sateen-run", '1', "runs, and all settings" },
	{ "sim", "sateen", '1', "simulations" },
	{ "join", "sateen-join", '1', "runs of several clusters" },
	{ "bench", "sateen-bench", '1', "benchmarks" },
	{ "speedup", "sateen-speedup", '1', "curves of speedup" },
	{ "top", "sateen-top", '1', "a live view of a run" },
	{ "info", "sateen", '1', "lists what this machine has" },
	{ "runs", "sateen", '1', "lists your runs" },
	{ "leave", "sateen", '1', "makes nodes leave a run" },
	{ "add", "sateen", '1', "lets nodes join a run" },
	{ "report", "sateen", '1', "a page about a trace" },
	{ "trace", "sateen-trace", '5', "the file of --trace" },
	{ "stats", "sateen-stats", '5', "the statistics of --stats" },
	{ "programs", "sateen-programs", '7', "the programs of this tree" },
	{ "sateen.h", "sateen.h", '3', "tasks, spawn and sync" },
	{ "sateen_parts.h", "sateen_parts.h", '3', "grids" },
	{ "sateen_cells.h", "sateen_cells.h", '3', "records in cells" },
};

enum { TOPICS = sizeof(topics) / sizeof(*topics) };

static bool
find(const struct topic *topic, char path[PATH_MAX])
{
	static const char *const docs[] = { "../docs", "../share/sateen/docs",
					    DATADIR "/docs", NULL };
	static const char *const manuals[] = { "../man", NULL };
	static const char *const installed[] = { "../share/man", MANDIR, NULL };
	char file[64];

	if (!topic->section)
		return stn_own_find(docs, topic->file, path, PATH_MAX);
	snprintf(file, sizeof(file), "%s.%c", topic->file, topic->section);
	if (stn_own_find(manuals, file, path, PATH_MAX))
		return true;
	snprintf(file, sizeof(file), "man%c/%s.%c", topic->section, topic->file,
		 topic->section);
	return stn_own_find(installed, file, path, PATH_MAX);
}

/* Guides that are not installed are left out. */
static int
list(void)
{
	char path[PATH_MAX];

	puts("usage: sateen help TOPIC\n"
	     "Shows a manual page or a guide.\n");
	for (int i = 0; i < TOPICS; i++)
		if (topics[i].section || find(&topics[i], path))
			printf("  %-15s %s\n", topics[i].name, topics[i].what);
	return EXIT_SUCCESS;
}

/* Becomes man, which looks for a page itself if it has no @path. */
static int
show_page(const struct topic *topic, const char *path)
{
	char section[] = { topic->section, 0 };

	if (path)
		execlp("man", "man", "-l", path, (char *)NULL);
	else
		execlp("man", "man", section, topic->file, (char *)NULL);
	perror("sateen: man");
	return EXIT_FAILURE;
}

/* Becomes the user's pager, or cat if the output is not a terminal. */
static int
show_guide(const char *path)
{
	static const char pager[] = "p=$(command -v less || echo more); "
				    "${PAGER:-$p} \"$0\"";
	static const char copy[] = "cat \"$0\"";

	execl("/bin/sh", "sh", "-c", isatty(STDOUT_FILENO) ? pager : copy, path,
	      (char *)NULL);
	perror("sateen: sh");
	return EXIT_FAILURE;
}

int
help_on(int argc, char **argv)
{
	char path[PATH_MAX];

	if (argc == 1 || !strcmp(argv[1], "--help"))
		return list();
	if (argc > 2) {
		fputs("sateen: help takes one topic; sateen help lists "
		      "topics\n",
		      stderr);
		return 2;
	}
	for (int i = 0; i < TOPICS; i++) {
		const struct topic *topic = &topics[i];

		if (strcmp(argv[1], topic->name))
			continue;
		if (find(topic, path))
			return topic->section ? show_page(topic, path)
					      : show_guide(path);
		if (topic->section)
			return show_page(topic, NULL);
		fprintf(stderr, "sateen: the guide %s is not installed\n",
			path);
		return EXIT_FAILURE;
	}
	fprintf(stderr, "sateen: no help on \"%s\"; sateen help lists topics\n",
		argv[1]);
	return 2;
}
