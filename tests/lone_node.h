/*
 * lone_node.h: node 0 of LONE_SIZE, in a run that survives deaths, for tests
 * that call its services themselves. It has no other threads, and its transport
 * is a table of the test's functions.
 */
#ifndef TESTS_LONE_NODE_H
#define TESTS_LONE_NODE_H

#include <stdlib.h>

#include "launch/services.h"
#include "launch/settings.h"
#include "node/node.h"
#include "steal/program.h"
#include "transport/ops.h"

#define LONE_NODES 8
#ifndef LONE_SIZE
#define LONE_SIZE 2
#endif

static inline void
lone_suspect_none(void *arg, uint32_t rank, const char *how)
{
	(void)arg;
	(void)rank;
	(void)how;
}

/*
 * lone_node: a node of a program with one @task. Aborts after LONE_NODES. A
 * node that the test does not destroy stays reachable, so that it is no leak.
 * @fail  as in struct stn_host; or NULL
 */
static inline struct stn_node *
lone_node(const struct stn_transport_ops *ops, const struct stn_task *task,
	  void (*fail)(void *arg, uint32_t missed, const char *text))
{
	static struct stn_node *nodes[LONE_NODES];
	static unsigned made;
	static const struct stn_task *tasks[1];
	static struct stn_transport transport;
	static struct stn_config config;
	static struct stn_topology topology = { .nodes = LONE_SIZE,
						.clusters = 1 };
	static struct stn_program program = { .table = { tasks, 1 } };
	const struct stn_start start = {
		.config = &config,
		.topology = &topology,
		.services = stn_services,
		.host = { .fail = fail, .suspect = lone_suspect_none },
		.workers = 1,
		.program = &program
	};
	struct stn_why why;

	tasks[0] = task;
	transport.ops = ops;
	stn_config_defaults(&config);
	if (made == LONE_NODES ||
	    stn_node_create(&start, &nodes[made], &why))
		abort();
	nodes[made]->transport = &transport;
	return nodes[made++];
}

#endif
