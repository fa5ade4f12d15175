/*
 * read.h: what `sateen top` knows of a run: the metrics of
 * launch/live/metrics.h, read from their text. Metrics and labels that it does
 * not know are skipped.
 */
#ifndef APPS_SATEEN_TOP_READ_H
#define APPS_SATEEN_TOP_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TOP_NODES_MOST 100000
#define TOP_NAME 64 /* bytes of names, with the zero byte */

enum { TOP_WORKING, TOP_COMMUNICATING, TOP_IDLE, TOP_STATES };

struct top_node {
	uint32_t rank, cluster;
	bool up, bounded; /* @bounded: it knows a solution */
	double workers;
	double seconds[TOP_STATES]; /* of its workers together */
	double steals, refused, queue, messages, bytes, bound;
};

struct top_cluster {
	uint32_t number;
	char name[TOP_NAME];
};

struct top_run {
	char program[TOP_NAME], balancer[TOP_NAME];
	double seconds, nodes, clusters, deaths, left, joined;
	double done, known, left_seconds; /* @known 0, @left_seconds < 0:
					   * not known */
	struct top_node *list;
	size_t count, room;
	struct top_cluster *named; /* the clusters that have names */
	size_t named_count;
};

/*
 * top_read: reads @text, of @size bytes, which need not end with a zero byte.
 * False: it has no metrics of Sateen, is malformed, or there is no memory. The
 * caller calls top_fini in any case.
 */
bool top_read(struct top_run *run, const char *text, size_t size);
void top_fini(struct top_run *run);

/* top_find: the node of @rank, or NULL. */
const struct top_node *top_find(const struct top_run *run, uint32_t rank);

/* top_name: the name of a cluster, or NULL. */
const char *top_name(const struct top_run *run, uint32_t cluster);

#endif
