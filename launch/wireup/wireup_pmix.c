/*
 * wireup_pmix.c: wire-up through PMIx, for nodes that mpirun or srun started.
 * In each round a node puts its card as a value, waits at a fence, and gets the
 * values of all nodes.
 */
#include <inttypes.h>
#include <pmix.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

#include "launch/end.h"
#include "launch/wireup/wireup_ops.h"
#include "launch/wireup/wireup_pmix.h"
#include "transport/library.h"

/* For all nodes to reach a round. */
#define JOIN_SECONDS 60

/*
 * Other nodes wait so long before they complain of what node 0 may complain of,
 * too. Meanwhile the launcher kills them, which takes Slurm some 100 ms and, on
 * a busy machine, much longer.
 */
#define NODE_0_MS 3000

/* For the launcher to kill a process that has aborted. */
#define KILLED_MS 5000

/* PMIx 3 and later have these functions and structures. */
struct pmix_library {
	pmix_status_t (*init)(pmix_proc_t *, pmix_info_t *, size_t);
	pmix_status_t (*finalize)(const pmix_info_t *, size_t);
	pmix_status_t (*abort)(int, const char *, pmix_proc_t *, size_t);
	pmix_status_t (*put)(pmix_scope_t, const char *, pmix_value_t *);
	pmix_status_t (*commit)(void);
	pmix_status_t (*fence_nb)(const pmix_proc_t *, size_t,
				  const pmix_info_t *, size_t, pmix_op_cbfunc_t,
				  void *);
	pmix_status_t (*get)(const pmix_proc_t *, const char *,
			     const pmix_info_t *, size_t, pmix_value_t **);
	const char *(*error_string)(pmix_status_t);
	pmix_status_t (*register_handler)(pmix_status_t *, size_t,
					  pmix_info_t *, size_t,
					  pmix_notification_fn_t,
					  pmix_hdlr_reg_cbfunc_t, void *);
};

static const struct stn_library_symbol symbols[] = {
	{ "PMIx_Init", offsetof(struct pmix_library, init) },
	{ "PMIx_Finalize", offsetof(struct pmix_library, finalize) },
	{ "PMIx_Abort", offsetof(struct pmix_library, abort) },
	{ "PMIx_Put", offsetof(struct pmix_library, put) },
	{ "PMIx_Commit", offsetof(struct pmix_library, commit) },
	{ "PMIx_Fence_nb", offsetof(struct pmix_library, fence_nb) },
	{ "PMIx_Get", offsetof(struct pmix_library, get) },
	{ "PMIx_Error_string", offsetof(struct pmix_library, error_string) },
	{ "PMIx_Register_event_handler",
	  offsetof(struct pmix_library, register_handler) },
};

static const struct stn_library libpmix = {
	.name = "PMIx",
	.soname = "libpmix.so.2",
	.packages = "libpmix2",
	.symbols = symbols,
	.count = sizeof(symbols) / sizeof(symbols[0]),
};

struct pmix_wireup {
	struct stn_wireup base;
	struct pmix_library library;
	pmix_proc_t self;
	uint32_t round;
	pmix_value_t **values; /* of the last round, by rank */
	atomic_bool over;      /* exit() is expected, or handled */
	pthread_mutex_t lock;  /* protects @fence and @waiting */
	pthread_cond_t passed;
	pmix_status_t fence; /* status of the last fence */
	bool waiting;	     /* the fence has not ended */
};

static enum stn_err
pmix_failed(const struct pmix_wireup *pmix, pmix_status_t status,
	    struct stn_why *why)
{
	if (status == PMIX_ERR_TIMEOUT)
		return stn_because(why, STN_LOST,
				   "not all nodes joined the run in %d s; are "
				   "all of them the same Sateen program?",
				   JOIN_SECONDS);
	return stn_because(why, STN_LOST, "the launcher's PMIx says: %s",
			   pmix->library.error_string(status));
}

static void
free_values(struct pmix_wireup *pmix)
{
	for (uint32_t i = 0; i < pmix->base.nodes; i++) {
		if (pmix->values[i] &&
		    pmix->values[i]->type == PMIX_BYTE_OBJECT)
			free(pmix->values[i]->data.bo.bytes);
		free(pmix->values[i]);
		pmix->values[i] = NULL;
	}
}

/* Puts a byte before the card, because a PMIx value can't be empty. */
static pmix_status_t
put_card(struct pmix_wireup *pmix, const char *key, const void *card,
	 size_t size)
{
	pmix_value_t value = { .type = PMIX_BYTE_OBJECT };
	pmix_status_t status;
	char *bytes = malloc(size + 1);

	if (!bytes)
		return PMIX_ERR_NOMEM;
	bytes[0] = 0;
	memcpy(bytes + 1, card, size);
	value.data.bo.bytes = bytes;
	value.data.bo.size = size + 1;
	status = pmix->library.put(PMIX_GLOBAL, key, &value);
	free(bytes);
	return status ? status : pmix->library.commit();
}

static void
pmix_passed(pmix_status_t status, void *arg)
{
	struct pmix_wireup *pmix = arg;

	pthread_mutex_lock(&pmix->lock);
	pmix->fence = status;
	pmix->waiting = false;
	pthread_cond_signal(&pmix->passed);
	pthread_mutex_unlock(&pmix->lock);
}

/*
 * Waits for the end of the fence, @seconds at most; without a limit if @seconds
 * is 0. Some launchers have no time limit of their own.
 */
static pmix_status_t
pmix_await(struct pmix_wireup *pmix, time_t seconds)
{
	struct timespec end;
	int late = 0;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += seconds;
	pthread_mutex_lock(&pmix->lock);
	while (pmix->waiting && !late)
		late = seconds ? pthread_cond_timedwait(&pmix->passed,
							&pmix->lock, &end)
			       : pthread_cond_wait(&pmix->passed, &pmix->lock);
	pthread_mutex_unlock(&pmix->lock);
	return late ? PMIX_ERR_TIMEOUT : pmix->fence;
}

/*
 * Waits until all nodes are at the fence, and collects their values. Without
 * collecting, a fence of Slurm 22.05 with PMIx 4.2 waits only for the nodes of
 * its host.
 */
static pmix_status_t
fence(struct pmix_wireup *pmix, time_t seconds)
{
	pmix_info_t info = { .key = PMIX_COLLECT_DATA };
	pmix_status_t status;

	info.value.type = PMIX_BOOL;
	info.value.data.flag = true;
	pthread_mutex_lock(&pmix->lock);
	pmix->waiting = true;
	pthread_mutex_unlock(&pmix->lock);
	status = pmix->library.fence_nb(NULL, 0, &info, 1, pmix_passed, pmix);
	if (status == PMIX_OPERATION_SUCCEEDED)
		return PMIX_SUCCESS;
	return status ? status : pmix_await(pmix, seconds);
}

static enum stn_err
get_card(struct pmix_wireup *pmix, const char *key, uint32_t rank,
	 struct stn_card *card, struct stn_why *why)
{
	pmix_proc_t proc = pmix->self;
	pmix_value_t *value;
	pmix_status_t status;

	proc.rank = rank;
	status = pmix->library.get(&proc, key, NULL, 0, &value);
	if (status)
		return pmix_failed(pmix, status, why);
	pmix->values[rank] = value;
	if (value->type != PMIX_BYTE_OBJECT || !value->data.bo.size)
		return stn_because(why, STN_MALFORMED,
				   "node %" PRIu32 " is of another version of "
				   "Sateen; rebuild it",
				   rank);
	card->bytes = (unsigned char *)value->data.bo.bytes + 1;
	card->size = value->data.bo.size - 1;
	return STN_OK;
}

static enum stn_err
pmix_exchange(struct stn_wireup *wireup, uint32_t rank, const void *card,
	      size_t size, struct stn_card *cards, struct stn_why *why)
{
	struct pmix_wireup *pmix = (struct pmix_wireup *)wireup;
	enum stn_err err = STN_OK;
	pmix_status_t status;
	char key[32];

	(void)rank; /* PMIx knows this process's rank */
	snprintf(key, sizeof(key), "sateen.%" PRIu32, pmix->round++);
	free_values(pmix);
	status = put_card(pmix, key, card, size);
	if (!status)
		status = fence(pmix, JOIN_SECONDS);
	if (status)
		return pmix_failed(pmix, status, why);
	for (uint32_t i = 0; !err && i < wireup->nodes; i++)
		err = get_card(pmix, key, i, &cards[i], why);
	return err;
}

static enum stn_err
pmix_barrier(struct stn_wireup *wireup, struct stn_why *why)
{
	struct pmix_wireup *pmix = (struct pmix_wireup *)wireup;
	pmix_status_t status = fence(pmix, 0);

	if (status)
		return pmix_failed(pmix, status, why);
	pmix->over = true;
	return STN_OK;
}

/*
 * Is this the first process of the host that complains in this run? All
 * processes of the host may have the same complaint, and the first to bind the
 * name prints it. The name vanishes with the process, so the process then waits
 * until the launcher kills it.
 */
static bool
first_of_host(const struct pmix_wireup *pmix)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	/* A name that begins with a zero byte has no file. */
	snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "sateen-%.80s",
		 pmix->self.nspace);
	return fd < 0 || !bind(fd, (struct sockaddr *)&name, sizeof(name));
}

static void
pmix_abort(struct stn_wireup *wireup, const char *text)
{
	struct pmix_wireup *pmix = (struct pmix_wireup *)wireup;

	if (pmix->self.rank)
		poll(NULL, 0, NODE_0_MS);
	if (first_of_host(pmix))
		fprintf(stderr, "sateen: %s\n", text);
	pmix->over = true;
	pmix->library.abort(EXIT_FAILURE, text, NULL, 0);
	poll(NULL, 0, KILLED_MS);
}

void
stn_wireup_pmix_end(struct stn_wireup *wireup, int status)
{
	struct pmix_wireup *pmix = (struct pmix_wireup *)wireup;

	pmix->over = true;
	pmix->library.abort(status, "the run has failed", NULL, 0);
	poll(NULL, 0, KILLED_MS);
}

/* The program has called exit(). On node 0 that ends the run. */
static void
pmix_exited(int status, void *arg)
{
	struct pmix_wireup *pmix = arg;
	char text[64];

	if (pmix->over)
		return;
	fflush(NULL); /* the launcher may kill this process before exit() does
		       */
	if (!pmix->self.rank) {
		pmix->library.abort(status, "exit() in main", NULL, 0);
		return;
	}
	snprintf(text, sizeof(text),
		 "node %" PRIu32 " left the run early (status %d)",
		 pmix->self.rank, status);
	pmix_abort(&pmix->base, text);
}

/* The memory is not freed, because pmix_exited uses it. */
static void
pmix_destroy(struct stn_wireup *wireup)
{
	struct pmix_wireup *pmix = (struct pmix_wireup *)wireup;

	pmix->over = true;
	free_values(pmix);
	free(pmix->values);
	pmix->library.finalize(NULL, 0);
}

static const struct stn_wireup_ops pmix_ops = {
	.destroy = pmix_destroy,
	.exchange = pmix_exchange,
	.barrier = pmix_barrier,
	.abort = pmix_abort,
};

static pmix_status_t
get_nodes(struct pmix_wireup *pmix)
{
	pmix_proc_t all = pmix->self;
	pmix_value_t *value;
	pmix_status_t status;

	all.rank = PMIX_RANK_WILDCARD;
	status = pmix->library.get(&all, PMIX_JOB_SIZE, NULL, 0, &value);
	if (status)
		return status;
	if (value->type == PMIX_UINT32)
		pmix->base.nodes = value->data.uint32;
	free(value);
	return pmix->self.rank < pmix->base.nodes ? PMIX_SUCCESS
						  : PMIX_ERR_BAD_PARAM;
}

static void
init_fence(struct pmix_wireup *pmix)
{
	pthread_condattr_t monotonic;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&pmix->passed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	pthread_mutex_init(&pmix->lock, NULL);
}

/* A handler of events can't have an argument. There is one wire-up a process. */
static _Atomic(struct pmix_wireup *) watched_wireup;

/*
 * The launcher, or its daemon on this host, is gone, so nothing would end this
 * process if the run failed, and nobody gets its output. If this process is the
 * launcher of agents (launch_here.c), they notice its end.
 */
static void
pmix_lost(size_t handler, pmix_status_t status, const pmix_proc_t *source,
	  pmix_info_t info[], size_t infos, pmix_info_t *results,
	  size_t result_count, pmix_event_notification_cbfunc_fn_t handled,
	  void *arg)
{
	const struct pmix_wireup *pmix = watched_wireup;

	(void)handler, (void)status, (void)source, (void)info, (void)infos;
	(void)results, (void)result_count;
	if (pmix && !pmix->over)
		stn_end_cut_off();
	if (handled)
		handled(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, arg);
}

/* Without the handler, this process would miss the launcher's end only. */
static void
pmix_watching(pmix_status_t status, size_t handler, void *arg)
{
	(void)status, (void)handler, (void)arg;
}

static void
watch_mpirun(struct pmix_wireup *pmix)
{
	static pmix_status_t lost[] = {
#ifdef PMIX_ERR_LOST_CONNECTION
		PMIX_ERR_LOST_CONNECTION,
#endif
		PMIX_ERR_LOST_CONNECTION_TO_SERVER,
	};

	watched_wireup = pmix;
	(void)pmix->library.register_handler(
		lost, sizeof(lost) / sizeof(lost[0]), NULL, 0, pmix_lost,
		pmix_watching, NULL);
}

/* PMIx's threads must not take signals that this process waits for. */
static pmix_status_t
init_quietly(struct pmix_wireup *pmix)
{
	sigset_t all, before;
	pmix_status_t status;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	status = pmix->library.init(&pmix->self, NULL, 0);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return status;
}

static enum stn_err
pmix_begin(struct pmix_wireup *pmix, struct stn_why *why)
{
	enum stn_err err = stn_library_load(&libpmix, &pmix->library, why);
	pmix_status_t status;

	if (err)
		return err;
	init_fence(pmix);
	status = init_quietly(pmix);
	if (!status)
		status = get_nodes(pmix);
	if (status)
		return stn_because(why, STN_IO,
				   "PMIx, which PMIX_NAMESPACE announces, "
				   "doesn't answer: %s; does the launcher "
				   "still run?",
				   pmix->library.error_string(status));
	watch_mpirun(pmix);
	pmix->values = calloc(pmix->base.nodes, sizeof(pmix->values[0]));
	if (!pmix->values || on_exit(pmix_exited, pmix))
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	return STN_OK;
}

enum stn_err
stn_wireup_pmix(struct stn_wireup **wireup_p, uint32_t *rank_p,
		uint32_t *nodes_p, struct stn_why *why)
{
	struct pmix_wireup *pmix = calloc(1, sizeof(*pmix));
	enum stn_err err;

	if (!pmix)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	pmix->base.ops = &pmix_ops;
	err = pmix_begin(pmix, why);
	if (err) {
		free(pmix);
		return err;
	}
	*wireup_p = &pmix->base;
	*rank_p = pmix->self.rank;
	*nodes_p = pmix->base.nodes;
	return STN_OK;
}
