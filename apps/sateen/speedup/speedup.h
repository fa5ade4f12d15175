/*
 * speedup.h: what `sateen speedup` measures: the time of a program with several
 * numbers of nodes and workers.
 */
#ifndef APPS_SATEEN_SPEEDUP_SPEEDUP_H
#define APPS_SATEEN_SPEEDUP_SPEEDUP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define POINTS_MOST 64
#define SERIES_MOST 8
#define LIST_MOST 16 /* numbers of a list of nodes or workers */

/* One number of nodes and workers. */
struct point {
	uint32_t nodes, workers; /* workers of each node */
	double seconds;		 /* the median of main's times */
};

/* Points that one line of the chart joins. */
struct series {
	char name[40];
	uint32_t points[LIST_MOST + 1]; /* indices, in ascending order */
	uint32_t count;
};

struct speedup {
	/* The command line. */
	bool sim;
	uint32_t repeats;
	const char *output;
	char **settings; /* for each run; the caller frees the array */
	int setting_count;
	char **program; /* with its arguments; ends with NULL */
	uint32_t clusters;

	/* The first point has one node with one worker. */
	struct point points[POINTS_MOST];
	uint32_t count;
	struct series series[SERIES_MOST];
	uint32_t series_count;

	double work_s, span_s; /* of the tasks; 0: not known */
};

/*
 * options_read: reads the command line; argv[0] is "speedup". Returns 0; or the
 * exit status, after a line on stderr.
 */
int options_read(struct speedup *speedup, int argc, char **argv);

/*
 * measure_all: runs the program, and sets all times, work and span. Returns 0;
 * or the exit status, after a line on stderr. Blocks.
 */
int measure_all(struct speedup *speedup);

/* curve_write: draws the chart. The caller looks for errors of @out. */
void curve_write(const struct speedup *speedup, FILE *out);

/* speedup_workers: all workers of a point. */
static inline uint32_t
speedup_workers(const struct point *point)
{
	return point->nodes * point->workers;
}

/* speedup_of: how many times as fast as one worker. */
static inline double
speedup_of(const struct speedup *speedup, const struct point *point)
{
	return point->seconds > 0 ? speedup->points[0].seconds / point->seconds
				  : 0;
}

/* speedup_bound: the smaller of @workers and the parallelism, if known. */
static inline double
speedup_bound(const struct speedup *speedup, double workers)
{
	double parallelism =
		speedup->span_s > 0 ? speedup->work_s / speedup->span_s : 0;

	return parallelism > 0 && parallelism < workers ? parallelism : workers;
}

#endif
