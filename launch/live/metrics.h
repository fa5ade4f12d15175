/*
 * metrics.h: the state of a run, in Prometheus' text format 0.0.4: what
 * --metrics serves and `sateen top` reads. man/sateen-run.1 lists the metrics.
 * No clock; any thread, as long as the arguments do not change.
 */
#ifndef STN_LAUNCH_LIVE_METRICS_H
#define STN_LAUNCH_LIVE_METRICS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "launch/live/meter.h"
#include "node/live/live.h"
#include "transport/topology.h"

struct stn_metrics_node {
	const struct stn_live *live;
	bool lives; /* it has joined the run, and has not died or left */
};

struct stn_metrics {
	const char *program, *balancer;
	double seconds; /* since the start of the run */
	uint64_t deaths, left, joined;
	const struct stn_topology *topology; /* clusters and their names */
	const struct stn_metrics_node *nodes;
	uint32_t count; /* of nodes */
	const struct stn_meter *meter;
};

void stn_metrics_write(const struct stn_metrics *metrics, FILE *out);

#endif
