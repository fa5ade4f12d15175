#include "launch/join.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/agree.h"
#include "launch/cluster_names.h"
#include "launch/end.h"
#include "launch/config_check.h"
#include "launch/interrupt.h"
#include "launch/join_far.h"
#include "launch/launcher_env.h"
#include "launch/link_queues.h"
#include "launch/live/pages.h"
#include "launch/settings.h"
#include "launch/plan/survival.h"
#include "launch/run/launch_here.h"
#include "launch/simulate.h"
#include "launch/wireup/wireup_pmix.h"
#include "launch/wireup/wireup_socket.h"
#include "launch/wireup/wireup_threads.h"
#include "launch/wireup/wireup.h"
#include "transport/units.h"

/* The data that all nodes of a process share. */
struct process {
	struct stn_config config;
	struct stn_topology topology;
	struct stn_live_pages live;
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
	return (struct stn_joined){ &process->config, &process->topology, rank,
				    wireup, .live = process->live.list };
}

/* Ends a process that has no memory for all of its nodes. */
static _Noreturn void
join_give_up(struct stn_wireup *wireup)
{
	stn_wireup_abort(wireup, "no memory for so many nodes; lower --nodes");
	stn_end_process(EXIT_FAILURE);
}

static void *
thread_main(void *arg)
{
	struct thread *thread = arg;
	const struct process *process = thread->process;

	if (process->part(process->arg, &thread->joined, &thread->status))
		stn_end_process(EXIT_FAILURE); /* other nodes may run already */
	return NULL;
}

/* Runs all nodes of the run as threads of this process. */
static int
run_threads(const struct process *process, struct stn_wireup **wireups)
{
	uint32_t nodes = process->topology.nodes;
	struct thread *threads = calloc(nodes, sizeof(threads[0]));
	struct stn_interrupt held; /* this thread waits, and does not take it */
	int status;

	if (!threads)
		join_give_up(wireups[0]);
	stn_interrupt_hold(&held, &process->config);
	for (uint32_t i = 0; i < nodes; i++) {
		threads[i].process = process;
		threads[i].joined = joined_as(process, i, wireups[i]);
		threads[i].joined.live = stn_live_pages_at(&process->live, i);
		if (pthread_create(&threads[i].thread, NULL, thread_main,
				   &threads[i]))
			join_give_up(wireups[i]);
	}
	for (uint32_t i = 0; i < nodes; i++)
		pthread_join(threads[i].thread, NULL);
	stn_interrupt_end(&held);
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

/*
 * Gets the links' state from the launcher, or from the lowest node of this
 * host.
 */
static enum stn_err
find_links(struct stn_wireup *wireup, uint32_t rank,
	   struct stn_topology *topology, struct stn_why *why)
{
	if (!stn_topology_slow(topology))
		return STN_OK;
	if (getenv(STN_JOIN_LINKS))
		return stn_link_queues_inherit(topology, why);
	return stn_link_queues_map(wireup, rank, topology, why);
}

/*
 * Finds this process's socket to its launcher. False if there is no launcher,
 * or if the socket is closed.
 */
static bool
find_launcher(int *fd_p)
{
	const char *text = getenv(STN_JOIN_WIREUP);
	struct stat is;
	uint64_t fd;

	if (!text || stn_parse_count(text, 0, INT32_MAX, &fd) ||
	    fstat((int)fd, &is) || !S_ISSOCK(is.st_mode))
		return false;
	*fd_p = (int)fd;
	return true;
}

/*
 * The launcher reads the output from a pipe, and prints it to a terminal,
 * perhaps. There each line is to appear when the program has printed it.
 */
static void
show_lines_early(void)
{
	struct stat is;

	if (!fstat(STDOUT_FILENO, &is) && S_ISFIFO(is.st_mode))
		setvbuf(stdout, NULL, _IOLBF, 0);
}

/* Joins the wire-up of the launcher that started this process. */
static enum stn_err
wire_up(const struct process *process, struct stn_wireup **wireup_p,
	uint32_t *rank_p, struct stn_why *why)
{
	const char *rank_text = getenv(STN_JOIN_RANK);
	const struct stn_config *config = &process->config;
	uint64_t nodes = config->nodes, rank;
	uint64_t ranks = stn_config_joins(config) ? config->max_nodes : nodes;
	int fd;

	if (getenv(STN_JOIN_WIREUP) && !find_launcher(&fd))
		return stn_because(why, STN_INVALID,
				   STN_JOIN_WIREUP
				   " leads to no launcher: has "
				   "another one started this process inside "
				   "`sateen run`? leave one of them out");
	if (!rank_text || !getenv(STN_JOIN_WIREUP) ||
	    stn_parse_count(rank_text, 0, ranks - 1, &rank))
		return stn_because(why, STN_INVALID,
				   "STN_NODES or STN_CLUSTERS is set, but no "
				   "launcher has started this process; use "
				   "`sateen run`");
	fcntl(fd, F_SETFD, FD_CLOEXEC); /* not inherited by other programs */
	show_lines_early();
	*rank_p = (uint32_t)rank;
	*wireup_p = stn_wireup_socket_joins(fd, (uint32_t)nodes,
					    (uint32_t)ranks, rank >= nodes);
	return *wireup_p ? STN_OK
			 : stn_because(why, STN_NO_MEMORY, "out of memory");
}

/*
 * Calls the part of node @rank. If @err says that joining has failed, tells the
 * launcher or the other nodes instead, over @wireup. Frees @wireup, which is
 * NULL if there is no other process.
 */
static enum stn_err
join_take_part(const struct process *process, struct stn_wireup *wireup,
	       uint32_t rank, enum stn_err err, int *status_p,
	       struct stn_why *why)
{
	struct stn_joined joined = joined_as(process, rank, wireup);

	stn_cluster_names_hide();
	if (!err)
		err = process->part(process->arg, &joined, status_p);
	else if (wireup)
		stn_wireup_abort(wireup, why->text);
	if (wireup)
		why->text[0] = '\0'; /* already reported through the wireup */
	stn_wireup_destroy(wireup);
	return err;
}

/* Joins as one node of a run that Sateen's launcher has started. */
static enum stn_err
join_launcher(struct process *process, int *status_p, struct stn_why *why)
{
	struct stn_wireup *wireup;
	uint32_t rank;
	enum stn_err err = wire_up(process, &wireup, &rank, why);

	if (err)
		return err;
	err = find_links(wireup, rank, &process->topology, why);
	return join_take_part(process, wireup, rank, err, status_p, why);
}

/*
 * Checks the settings and makes the topology, when the number of nodes is
 * known.
 */
static enum stn_err
join_settle(struct process *process, struct stn_why *why)
{
	enum stn_err err = stn_config_check(&process->config, why);

	return err ? err
		   : stn_config_topology(&process->config, &process->topology,
					 why);
}

/* Only Sateen's own launcher starts nodes that join, and serves metrics. */
static enum stn_err
refuse_ours(const struct process *process, struct stn_why *why)
{
	if (process->config.max_nodes > process->config.nodes)
		return stn_because(why, STN_INVALID,
				   "max-nodes lets nodes join, which only "
				   "`sateen run` and `sateen sim` support; "
				   "leave STN_MAX_NODES out");
	if (strcmp(process->config.metrics, "none"))
		return stn_because(why, STN_INVALID,
				   "metrics are served by `sateen run` only; "
				   "leave STN_METRICS out");
	return STN_OK;
}

/* Open MPI's mpirun kills its processes one second after SIGTERM. */
static void
shorten_grace(struct stn_config *config)
{
	if (getenv("OMPI_COMM_WORLD_SIZE") && !getenv("STN_GRACE"))
		config->grace_ns = 800000000;
}

/*
 * Makes this process an agent if the run shall survive deaths and agents can
 * work here. STN_MISSING if it must be a node.
 * @wireup_p  freed, and set to NULL, if it was made an agent
 */
static enum stn_err
join_as_agent(struct process *process, struct stn_wireup **wireup_p,
	      uint32_t rank, int *status_p, struct stn_why *why)
{
	uint32_t nodes = process->topology.nodes;
	struct stn_muster muster;
	enum stn_err err;

	if (nodes < 2 || !stn_survival_wanted(&process->config))
		return STN_MISSING;
	err = stn_muster_hold(*wireup_p, rank, nodes, &process->config, &muster,
			      why);
	if (err == STN_MISSING && !strcmp(process->config.survive, "yes")) {
		const struct stn_why reason = *why;

		return stn_because(why, STN_INVALID,
				   "survive is yes, but %.300s; or set "
				   "STN_SURVIVE=no",
				   reason.text);
	}
	if (err)
		return err;
	shorten_grace(&process->config);
	*status_p = stn_launch_here(&muster, &process->config, *wireup_p);
	*wireup_p = NULL;
	return STN_OK;
}

/*
 * Joins as one node of a run that mpirun, srun or a similar launcher has
 * started.
 */
static enum stn_err
join_pmix(struct process *process, int *status_p, struct stn_why *why)
{
	struct stn_wireup *wireup;
	uint32_t rank, nodes;
	enum stn_err err = stn_wireup_pmix(&wireup, &rank, &nodes, why);

	if (err)
		return err;
	err = stn_config_launched(&process->config, nodes, why);
	if (!err)
		err = refuse_ours(process, why);
	if (!err)
		err = stn_agree(wireup, nodes, rank, &process->config, true,
				why);
	if (!err)
		err = join_settle(process, why);
	if (!err) {
		err = join_as_agent(process, &wireup, rank, status_p, why);
		if (!err)
			return STN_OK;
		err = err == STN_MISSING ? STN_OK : err;
	}
	if (!err)
		err = find_links(wireup, rank, &process->topology, why);
	return join_take_part(process, wireup, rank, err, status_p, why);
}

/*
 * Finds the wire-up of this cluster: that of the cluster's own launcher.
 * Without a launcher, the cluster is one node.
 */
static enum stn_err
wire_up_cluster(struct process *process, struct stn_wireup **wireup_p,
		uint32_t *rank_p, uint32_t *nodes_p, struct stn_why *why)
{
	enum stn_err err;

	*wireup_p = NULL;
	*rank_p = 0;
	*nodes_p = (uint32_t)process->config.nodes;
	if (getenv(STN_JOIN_WIREUP))
		return wire_up(process, wireup_p, rank_p, why);
	if (stn_wireup_pmix_offered()) {
		err = stn_wireup_pmix(wireup_p, rank_p, nodes_p, why);
		shorten_grace(&process->config);
		return err ? err
			   : stn_config_launched(&process->config, *nodes_p,
						 why);
	}
	if (*nodes_p > 1)
		return stn_because(why, STN_INVALID,
				   "STN_NODES is set, but no launcher has "
				   "started this process; use `sateen run`");
	return stn_launcher_check_alone(why);
}

/* A cluster may join the run while it runs: its ranks are reserved. */
static enum stn_err
reserve_far(struct process *process, const struct stn_layout *layout,
	    struct stn_why *why)
{
	uint32_t ranks = layout->first[layout->clusters];

	if (layout->reserved == ranks)
		return STN_OK;
	if (!stn_survival_wanted(&process->config))
		return stn_because(why, STN_INVALID,
				   "max-nodes lets a cluster join, which needs "
				   "survival (STN_SURVIVE)");
	return stn_topology_reserve(&process->topology, layout->reserved,
				    ranks - layout->reserved)
		       ? stn_because(why, STN_NO_MEMORY, "out of memory")
		       : STN_OK;
}

/* Joins as one node of a run of several clusters. */
static enum stn_err
join_far(struct process *process, int *status_p, struct stn_why *why)
{
	struct stn_layout layout;
	struct stn_wireup *wireup;
	uint32_t rank, nodes;
	enum stn_err err =
		wire_up_cluster(process, &wireup, &rank, &nodes, why);

	if (!err)
		err = refuse_ours(process, why);
	if (!err)
		err = stn_join_far(&wireup, &rank, nodes, &process->config,
				   &layout, why);
	if (!err)
		err = stn_agree(wireup, layout.nodes, rank, &process->config,
				false, why);
	if (!err)
		err = join_settle(process, why);
	if (!err)
		err = reserve_far(process, &layout, why);
	return join_take_part(process, wireup, rank, err, status_p, why);
}

static bool
transport_is(const struct process *process, const char *name)
{
	return !strcmp(stn_config_transport(&process->config), name);
}

/* Joins a run of Sateen's launcher, or begins a run without a launcher. */
static enum stn_err
join_ours(struct process *process, int *status_p, struct stn_why *why)
{
	enum stn_err err = STN_OK;

	if (!getenv(STN_JOIN_WIREUP) && !transport_is(process, "sim"))
		err = refuse_ours(process, why);
	if (!err && !getenv(STN_JOIN_WIREUP) && !transport_is(process, "sim"))
		err = stn_launcher_check_alone(why);
	if (!err)
		err = join_settle(process, why);
	if (err)
		return err;
	if (transport_is(process, "sim"))
		return stn_simulate(&process->config, &process->topology,
				    process->part, process->arg, status_p, why);
	if (transport_is(process, "loop"))
		return join_threads(process, status_p, why);
	return join_launcher(process, status_p, why);
}

static enum stn_err
join_run(struct process *process, int *status_p, struct stn_why *why)
{
	enum stn_err err;

	stn_config_defaults(&process->config);
	err = stn_config_environment(&process->config, why);
	if (err)
		return err;
	if (getenv(STN_JOIN_WIREUP))
		stn_live_pages_join(&process->live);
	if (stn_join_far_offered() && !transport_is(process, "sim"))
		return join_far(process, status_p, why);
	if (stn_wireup_pmix_offered() && !getenv(STN_JOIN_WIREUP) &&
	    !transport_is(process, "sim"))
		return join_pmix(process, status_p, why);
	return join_ours(process, status_p, why);
}

void
stn_join_complain(const char *text)
{
	struct stn_wireup *wireup = NULL;
	int fd;

	if (find_launcher(&fd))
		wireup = stn_wireup_socket(fd, 1);
	if (wireup)
		stn_wireup_abort(wireup, text);
	else if (stn_launcher_should_report())
		fprintf(stderr, "sateen: %s\n", text);
	stn_wireup_destroy(wireup);
}

int
stn_join(stn_join_part *part, void *arg)
{
	struct process process = { .part = part, .arg = arg };
	int status = EXIT_FAILURE;
	struct stn_why why;
	enum stn_err err = join_run(&process, &status, &why);

	stn_topology_fini(&process.topology);
	if (!err)
		return status;
	if (why.text[0])
		stn_join_complain(why.text);
	return EXIT_FAILURE;
}
