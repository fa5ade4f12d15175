/*
 * main.c: how a process joins a run: alone, as one node of a launcher's, or as
 * all nodes of a run inside one process.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "steal/join.h"
#include "steal/node.h"
#include "steal/sateen.h"
#include "transport/units.h"

/* What all nodes of a process have in common. */
struct process {
	struct stn_config config;
	struct stn_topology topology;
	struct stn_table table;
	int (*body)(struct stn_frame *, int, char **);
	int argc;
	char **argv;
};

static struct stn_node *
node_create(const struct process *process, uint32_t rank,
	    struct stn_wireup *wireup)
{
	struct stn_node *node =
		aligned_alloc(128, (sizeof(*node) + 127) & ~(size_t)127);

	if (!node)
		return NULL;
	memset(node, 0, sizeof(*node));
	node->config = process->config;
	node->topology = process->topology;
	node->table = process->table;
	node->rank = rank;
	node->cluster = stn_cluster_of(&node->topology, rank);
	node->wireup = wireup;
	node->body = process->body;
	node->argc = process->argc;
	node->argv = process->argv;
	return node;
}

struct thread {
	pthread_t thread;
	struct stn_node *node;
	int status;
};

/* The end of a process that can't hold all nodes it is to be. */
static _Noreturn void
give_up(struct stn_wireup *wireup)
{
	stn_wireup_abort(wireup, "no memory for so many nodes; lower --nodes");
	_exit(EXIT_FAILURE);
}

static void *
thread_main(void *arg)
{
	struct thread *thread = arg;

	if (stn_node_run(thread->node, &thread->status))
		_exit(EXIT_FAILURE); /* the others may be under way already */
	return NULL;
}

/* All nodes of the run as threads of this process. */
static int
run_threads(const struct process *process, struct stn_wireup **wireups)
{
	uint32_t nodes = process->topology.nodes;
	struct thread *threads = calloc(nodes, sizeof(threads[0]));
	int status;

	if (!threads)
		give_up(wireups[0]);
	for (uint32_t i = 0; i < nodes; i++) {
		threads[i].node = node_create(process, i, wireups[i]);
		if (!threads[i].node ||
		    pthread_create(&threads[i].thread, NULL, thread_main,
				   &threads[i]))
			give_up(wireups[i]);
	}
	for (uint32_t i = 0; i < nodes; i++) {
		pthread_join(threads[i].thread, NULL);
		free(threads[i].node);
	}
	status = threads[0].status;
	free(threads);
	return status;
}

static enum stn_err
join_threads(struct process *process, int *status_p, struct stn_why *why)
{
	struct stn_topology *topology = &process->topology;
	struct stn_wireup **wireups = stn_wireup_threads(topology->nodes);

	topology->busy = calloc(1, stn_topology_busy_bytes(topology));
	if (!wireups || !topology->busy)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	*status_p = run_threads(process, wireups);
	for (uint32_t i = 0; i < topology->nodes; i++)
		stn_wireup_destroy(wireups[i]);
	free(wireups);
	free(topology->busy);
	return STN_OK;
}

static enum stn_err
map_links(struct stn_topology *topology, struct stn_why *why)
{
	const char *text = getenv(STN_JOIN_LINKS);
	uint64_t fd;
	void *memory;

	if (!stn_topology_slow(topology))
		return STN_OK;
	if (!text || stn_parse_count(text, 0, INT32_MAX, &fd))
		return stn_because(why, STN_INVALID,
				   "%s is not what a launcher sets",
				   STN_JOIN_LINKS);
	memory = mmap(NULL, stn_topology_busy_bytes(topology),
		      PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, 0);
	close((int)fd);
	if (memory == MAP_FAILED)
		return stn_because(why, STN_IO, "can't map the links' state");
	topology->busy = memory;
	return STN_OK;
}

/* One node of a run that a launcher has started. */
static enum stn_err
join_launcher(struct process *process, int *status_p, struct stn_why *why)
{
	const char *rank_text = getenv(STN_JOIN_RANK);
	const char *fd_text = getenv(STN_JOIN_WIREUP);
	struct stn_wireup *wireup;
	struct stn_node *node;
	uint64_t rank, fd;
	enum stn_err err;

	if (!rank_text || !fd_text ||
	    stn_parse_count(rank_text, 0, process->config.nodes - 1, &rank) ||
	    stn_parse_count(fd_text, 0, INT32_MAX, &fd))
		return stn_because(why, STN_INVALID,
				   "STN_NODES is set, but no launcher has "
				   "started this process; use `sateen run`");
	fcntl((int)fd, F_SETFD, FD_CLOEXEC); /* not for what a task starts */
	wireup = stn_wireup_socket((int)fd, process->topology.nodes);
	if (!wireup)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	err = map_links(&process->topology, why);
	node = err ? NULL : node_create(process, (uint32_t)rank, wireup);
	if (node) {
		why->text[0] = '\0'; /* from here on the launcher is told */
		err = stn_node_run(node, status_p);
		free(node);
	} else if (!err) {
		err = stn_because(why, STN_NO_MEMORY, "out of memory");
	}
	if (err && why->text[0])
		stn_wireup_abort(wireup, why->text);
	why->text[0] = '\0';
	stn_wireup_destroy(wireup);
	return err;
}

static enum stn_err
join(struct process *process, int *status_p, struct stn_why *why)
{
	struct stn_config *config = &process->config;
	enum stn_err err;

	stn_config_defaults(config);
	err = stn_config_environment(config, why);
	if (!err)
		err = stn_config_check(config, why);
	if (err)
		return err;
	process->topology = (struct stn_topology){
		.nodes = (uint32_t)config->nodes,
		.clusters = (uint32_t)config->clusters,
		.wan = config->wan,
	};
	if (!strcmp(stn_config_transport(config), "loop"))
		return join_threads(process, status_p, why);
	return join_launcher(process, status_p, why);
}

/* A launcher hears the same of all its nodes, and says it once. */
static void
complain(const char *text)
{
	const char *fd_text = getenv(STN_JOIN_WIREUP);
	struct stn_wireup *wireup = NULL;
	uint64_t fd;

	if (fd_text && !stn_parse_count(fd_text, 0, INT32_MAX, &fd))
		wireup = stn_wireup_socket((int)fd, 1);
	if (wireup)
		stn_wireup_abort(wireup, text);
	else
		fprintf(stderr, "sateen: %s\n", text);
	stn_wireup_destroy(wireup);
}

int
stn_main(int argc, char **argv, int (*body)(struct stn_frame *, int, char **),
	 const struct stn_task *const *tasks, const struct stn_task *const *end)
{
	struct process process = { .body = body, .argc = argc, .argv = argv };
	struct stn_why why;
	int status = EXIT_FAILURE;
	enum stn_err err;

	stn_fence_prepare(); /* while this is the only thread */
	err = stn_table_init(&process.table, tasks, end, &why);
	if (!err) {
		err = join(&process, &status, &why);
		stn_table_fini(&process.table);
	}
	if (err && why.text[0])
		complain(why.text);
	return err ? EXIT_FAILURE : status;
}
