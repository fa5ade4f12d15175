/*
 * speedup.c: `sateen speedup`: how much faster a program is with more workers
 * and nodes: a table, and a chart.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/sateen/commands.h"

#ifdef HAVE_YAJL

#include "apps/sateen/speedup/speedup.h"

static int
usage(FILE *out)
{
	fputs("usage: sateen speedup [options] [settings] PROGRAM [ARGUMENTS]\n"
	      "Runs the program with more and more workers and nodes, prints "
	      "a table of times,\nspeedups and efficiencies, and draws the "
	      "curve, with the bound that work and\nspan of its tasks set.\n"
	      "\n"
	      "  --sim           simulates the nodes (sateen sim)\n"
	      "  --workers LIST  numbers of workers, such as 1,2,4\n"
	      "  --nodes LIST    numbers of nodes\n"
	      "  --repeats N     runs of each; the median counts (default 3; "
	      "1 if costs are\n"
	      "                  counted)\n"
	      "  --output FILE   the chart, in SVG (default speedup.svg)\n"
	      "\n"
	      "Without lists: 1, 2, 4, ... workers and nodes, up to the "
	      "number of cores;\nsimulated: up to 64 nodes. Settings are those "
	      "of sateen run and sateen sim:\n"
	      "  sateen speedup --sim --cost counted --lan 20us ./nqueens 12\n",
	      out);
	return out == stdout ? EXIT_SUCCESS : 2;
}

static int
fail_output(const char *path)
{
	fprintf(stderr, "sateen: can't write %s: %s\n", path, strerror(errno));
	return EXIT_FAILURE;
}

static void
print_table(const struct speedup *speedup)
{
	printf("nodes x workers       time  speedup  efficiency%s\n",
	       speedup->span_s > 0 ? "  at most" : "");
	for (uint32_t i = 0; i < speedup->count; i++) {
		const struct point *point = &speedup->points[i];
		double workers = speedup_workers(point);
		double times = speedup_of(speedup, point);

		printf("%5u x %-7u %10.6f s %6.2f %9.1f %%", point->nodes,
		       point->workers, point->seconds, times,
		       100 * times / workers);
		if (speedup->span_s > 0)
			printf(" %8.2f", speedup_bound(speedup, workers));
		putchar('\n');
	}
	if (speedup->span_s > 0)
		printf("work %.6f s, span %.6f s, parallelism %.1f\n",
		       speedup->work_s, speedup->span_s,
		       speedup->work_s / speedup->span_s);
	else
		puts("work and span are not known");
}

/* @fd is open since before the runs; here it is closed. */
static int
write_curve(const struct speedup *speedup, int fd)
{
	FILE *out = fdopen(fd, "w");
	bool failed;

	if (!out)
		return fail_output(speedup->output);
	/* A device has no length. */
	failed = ftruncate(fd, 0) && errno != EINVAL;
	curve_write(speedup, out);
	failed |= ferror(out);
	failed |= fclose(out);
	if (failed)
		return fail_output(speedup->output);
	puts(speedup->output);
	return EXIT_SUCCESS;
}

/* *made_p: the file is new; it is removed if the runs fail. */
static int
open_output(const struct speedup *speedup, bool *made_p)
{
	const int flags = O_WRONLY | O_CREAT | O_CLOEXEC;
	int fd = open(speedup->output, flags | O_EXCL, 0666);

	*made_p = fd >= 0;
	return fd < 0 && errno == EEXIST ? open(speedup->output, flags, 0666)
					 : fd;
}

static int
carry_out(struct speedup *speedup)
{
	bool made;
	int fd = open_output(speedup, &made), status;

	if (fd < 0)
		return fail_output(speedup->output);
	status = measure_all(speedup);
	if (status) {
		close(fd);
		if (made)
			unlink(speedup->output);
		return status;
	}
	print_table(speedup);
	return write_curve(speedup, fd);
}

int
speedup(int argc, char **argv)
{
	struct speedup all = { .output = NULL };
	int status;

	if (argc == 2 && !strcmp(argv[1], "--help"))
		return usage(stdout);
	if (argc < 2)
		return usage(stderr);
	status = options_read(&all, argc, argv);
	if (!status)
		status = carry_out(&all);
	free(all.settings);
	return status;
}

#else

int
speedup(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	fputs("sateen: this build has no `sateen speedup`: it lacks yajl "
	      "(libyajl-dev)\n",
	      stderr);
	return EXIT_FAILURE;
}

#endif
