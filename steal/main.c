/*
 * main.c: what a Sateen program's main does: it joins a run, as the nodes
 * that run the program's tasks.
 */
#include <stdlib.h>

#include "steal/join/join.h"
#include "steal/node.h"
#include "steal/sateen.h"

/* What all nodes of a process run. */
struct program {
	struct stn_table table;
	int (*body)(struct stn_frame *, int, char **);
	int argc;
	char **argv;
};

static struct stn_node *
node_create(const struct program *program, const struct stn_joined *joined)
{
	struct stn_node *node =
		aligned_alloc(128, (sizeof(*node) + 127) & ~(size_t)127);

	if (!node)
		return NULL;
	memset(node, 0, sizeof(*node));
	node->config = *joined->config;
	node->topology = *joined->topology;
	node->table = program->table;
	node->rank = joined->rank;
	node->cluster = stn_cluster_of(&node->topology, node->rank);
	node->wireup = joined->wireup;
	node->sim = joined->sim;
	node->speed = stn_config_speed(&node->config, node->cluster);
	node->body = program->body;
	node->argc = program->argc;
	node->argv = program->argv;
	return node;
}

static enum stn_err
run_node(void *arg, const struct stn_joined *joined, int *status_p)
{
	struct stn_node *node = node_create(arg, joined);
	enum stn_err err;

	if (!node) {
		stn_wireup_abort(joined->wireup, "no memory for so many nodes; "
						 "lower --nodes");
		return STN_NO_MEMORY;
	}
	if (joined->place)
		*joined->place = node;
	err = stn_node_run(node, status_p);
	if (joined->place)
		*joined->place = NULL;
	free(node);
	return err;
}

int
stn_main(int argc, char **argv, int (*body)(struct stn_frame *, int, char **),
	 const struct stn_task *const *tasks, const struct stn_task *const *end)
{
	struct program program = { .body = body, .argc = argc, .argv = argv };
	struct stn_why why;
	int status;

	stn_fence_prepare(); /* while this is the only thread */
	if (stn_table_init(&program.table, tasks, end, &why)) {
		stn_join_complain(why.text);
		return EXIT_FAILURE;
	}
	status = stn_join(run_node, &program);
	stn_table_fini(&program.table);
	return status;
}
