#include "steal/join/join.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "steal/simulate.h"
#include "transport/units.h"

/* What all nodes of a process have in common. */
struct process {
	struct stn_config config;
	struct stn_topology topology;
	stn_join_part *part;
	void *arg;
};

struct thread {
	pthread_t thread;
	const struct process *process;
	struct stn_joined joined;
	int status;
};

static struct stn_joined
joined_as(const struct process *process, uint32_t rank,
	  struct stn_wireup *wireup)
{
	return (struct stn_joined){
		&process->config, &process->topology, rank, wireup, NULL, NULL
	};
}

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
	const struct process *process = thread->process;

	if (process->part(process->arg, &thread->joined, &thread->status))
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
		threads[i].process = process;
		threads[i].joined = joined_as(process, i, wireups[i]);
		if (pthread_create(&threads[i].thread, NULL, thread_main,
				   &threads[i]))
			give_up(wireups[i]);
	}
	for (uint32_t i = 0; i < nodes; i++)
		pthread_join(threads[i].thread, NULL);
	status = threads[0].status;
	free(threads);
	return status;
}

static enum stn_err
join_threads(struct process *process, int *status_p, struct stn_why *why)
{
	struct stn_topology *topology = &process->topology;
	struct stn_wireup **wireups = stn_wireup_threads(topology->nodes);

	stn_topology_begin(topology);
	topology->queues = calloc(1, stn_topology_queue_bytes(topology));
	if (!wireups || !topology->queues)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	*status_p = run_threads(process, wireups);
	for (uint32_t i = 0; i < topology->nodes; i++)
		stn_wireup_destroy(wireups[i]);
	free(wireups);
	free(topology->queues);
	return STN_OK;
}

static enum stn_err
map_links(struct stn_topology *topology, struct stn_why *why)
{
	const char *begin = getenv(STN_JOIN_BEGIN);
	const char *text = getenv(STN_JOIN_LINKS);
	uint64_t fd;
	void *memory;

	if (!stn_topology_slow(topology))
		return STN_OK;
	if (!text || stn_parse_count(text, 0, INT32_MAX, &fd) || !begin ||
	    stn_parse_count(begin, 0, INT64_MAX, &topology->begin_ns))
		return stn_because(why, STN_INVALID,
				   "%s or %s is not what a launcher sets",
				   STN_JOIN_LINKS, STN_JOIN_BEGIN);
	memory = mmap(NULL, stn_topology_queue_bytes(topology),
		      PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, 0);
	close((int)fd);
	if (memory == MAP_FAILED)
		return stn_because(why, STN_IO, "can't map the links' state");
	topology->queues = memory;
	return STN_OK;
}

/* One node of a run that a launcher has started. */
static enum stn_err
join_launcher(struct process *process, int *status_p, struct stn_why *why)
{
	const char *rank_text = getenv(STN_JOIN_RANK);
	const char *fd_text = getenv(STN_JOIN_WIREUP);
	struct stn_wireup *wireup;
	struct stn_joined joined;
	uint64_t rank, fd;
	enum stn_err err;

	if (!rank_text || !fd_text ||
	    stn_parse_count(rank_text, 0, process->config.nodes - 1, &rank) ||
	    stn_parse_count(fd_text, 0, INT32_MAX, &fd))
		return stn_because(why, STN_INVALID,
				   "STN_NODES or STN_CLUSTERS is set, but no "
				   "launcher has started this process; use "
				   "`sateen run`");
	fcntl((int)fd, F_SETFD, FD_CLOEXEC); /* not for what a task starts */
	wireup = stn_wireup_socket((int)fd, process->topology.nodes);
	if (!wireup)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	err = map_links(&process->topology, why);
	if (err) {
		stn_wireup_abort(wireup, why->text);
	} else {
		joined = joined_as(process, (uint32_t)rank, wireup);
		err = process->part(process->arg, &joined, status_p);
	}
	why->text[0] = '\0'; /* the launcher has been told */
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
	err = stn_config_topology(config, &process->topology, why);
	if (err)
		return err;
	if (!strcmp(stn_config_transport(config), "sim"))
		return stn_simulate(config, &process->topology, process->part,
				    process->arg, status_p, why);
	if (!strcmp(stn_config_transport(config), "loop"))
		return join_threads(process, status_p, why);
	return join_launcher(process, status_p, why);
}

void
stn_join_complain(const char *text)
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
stn_join(stn_join_part *part, void *arg)
{
	struct process process = { .part = part, .arg = arg };
	int status = EXIT_FAILURE;
	struct stn_why why;
	enum stn_err err = join(&process, &status, &why);

	stn_topology_fini(&process.topology);
	if (!err)
		return status;
	if (why.text[0])
		stn_join_complain(why.text);
	return EXIT_FAILURE;
}
