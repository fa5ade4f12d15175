/*
 * loadnews: the model of model.h on nodes of the simulator, in virtual time.
 * The nodes are only endpoints of its network: they have no stack, no workers
 * and no services, so that there can be a hundred thousand of them. Their
 * messages are those of parts/news/news_wire.h, and the policies are the tables
 * of parts/news; bench/news/beside.c runs the same on the nodes of real runs.
 *
 * The server is one node more. It handles one message at a time, and each one
 * that it receives or sends takes a fixed time.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/news/loadnews.h"
#include "bench/news/model.h"
#include "emul/sim_run.h"
#include "emul/sim_transport.h"

#define STACK_BYTES 65536
#define HEADER_BYTES sizeof(struct stn_news_note)

/* Messages that wait for the server. */
struct queue {
	struct stn_news_wire *list; /* a ring */
	size_t room, first, count;
	uint64_t ready_ns; /* when the first one has been handled */
	uint64_t busy_ns;  /* the server's work so far */
	uint32_t said;	   /* messages sent in handling one */
};

/* Times in ns. */
struct times {
	uint64_t *list;
	size_t count, room;
};

struct fleet;

struct member {
	struct fleet *fleet;
	struct model_node node;
	struct stn_transport *transport;
};

struct fleet {
	const struct loadnews_options *options;
	struct stn_sim *sim;
	struct model model;
	struct queue queue;
	struct times responses;
	uint32_t rounds;
	struct member *members; /* the last one is the server */
};

static _Noreturn void
fail(const char *text)
{
	fprintf(stderr, "loadnews: %s\n", text);
	exit(EXIT_FAILURE);
}

static void *
grow(void *list, size_t room, size_t bytes)
{
	void *grown = reallocarray(list, room, bytes);

	if (!grown)
		fail("out of memory");
	return grown;
}

static void
note_response(void *arg, uint64_t ns)
{
	struct times *times = &((struct fleet *)arg)->responses;

	if (times->count == times->room) {
		times->room = 2 * times->room + 1024;
		times->list =
			grow(times->list, times->room, sizeof(times->list[0]));
	}
	times->list[times->count++] = ns;
}

static void
fleet_send(void *arg, struct model_node *from, uint32_t to, uint8_t kind,
	   const void *header, size_t bytes)
{
	struct fleet *fleet = arg;
	struct member *member = &fleet->members[from->news.number];

	if (from->news.number == fleet->model.count)
		fleet->queue.said++;
	stn_transport_send(member->transport, to, kind, header, bytes, NULL, 0,
			   NULL, NULL);
}

/* The ring is unrolled before it grows. */
static void
queue_grow(struct queue *queue)
{
	size_t room = 2 * queue->room + 1024;
	struct stn_news_wire *list = grow(NULL, room, sizeof(*list));

	for (size_t i = 0; i < queue->count; i++)
		list[i] = queue->list[(queue->first + i) % queue->room];
	free(queue->list);
	queue->list = list;
	queue->first = 0;
	queue->room = room;
}

static void
queue_put(struct queue *queue, const struct stn_news_wire *wire, uint64_t now,
	  uint64_t service_ns)
{
	if (queue->count == queue->room)
		queue_grow(queue);
	if (!queue->count)
		queue->ready_ns =
			(queue->ready_ns > now ? queue->ready_ns : now) +
			service_ns;
	queue->list[(queue->first + queue->count++) % queue->room] = *wire;
}

/* The server handles the message that is ready. */
static void
serve(struct member *server, uint64_t now)
{
	struct queue *queue = &server->fleet->queue;
	uint64_t service_ns = server->fleet->options->service_ns;
	struct stn_news_wire wire = queue->list[queue->first];

	queue->first = (queue->first + 1) % queue->room;
	queue->count--;
	queue->said = 0;
	if (model_node_take(&server->node, &wire, now))
		fail("the server cannot handle a message");
	queue->busy_ns += (1 + queue->said) * service_ns;
	queue->ready_ns = now + queue->said * service_ns;
	if (queue->count)
		queue->ready_ns += service_ns;
}

static uint64_t
look_server(void *arg)
{
	struct member *server = arg;
	struct queue *queue = &server->fleet->queue;
	uint64_t now = stn_sim_now(server->fleet->sim);

	while (queue->count && queue->ready_ns <= now)
		serve(server, now);
	return queue->count ? queue->ready_ns : STN_FOREVER;
}

static uint64_t
look_member(void *arg)
{
	struct member *member = arg;

	return model_node_look(&member->node, stn_sim_now(member->fleet->sim));
}

static void
handle(void *arg, const struct stn_message *message)
{
	struct member *member = arg;
	struct fleet *fleet = member->fleet;
	uint64_t now = stn_sim_now(fleet->sim);
	struct stn_news_wire wire;

	if (stn_news_parse(message, fleet->model.count + 1, &wire))
		fail("a message is malformed");
	if (member->node.news.number == fleet->model.count)
		queue_put(&fleet->queue, &wire, now,
			  fleet->options->service_ns);
	else if (model_node_take(&member->node, &wire, now))
		fail("a node cannot handle a message");
}

static void
begin_member(void *arg)
{
	struct member *member = arg;

	stn_sim_nudge(member->fleet->sim, member->node.news.number);
}

static void
add_member(struct fleet *fleet, const struct stn_topology *topology,
	   uint32_t number)
{
	struct member *member = &fleet->members[number];
	struct stn_opening opening = { .topology = topology,
				       .rank = number,
				       .handler = handle,
				       .arg = member };
	bool server = number == fleet->model.count;
	struct stn_why why;

	member->fleet = fleet;
	if (model_node_init(&member->node, &fleet->model, number, 0))
		fail("out of memory");
	if (stn_sim_open(fleet->sim, &opening, &member->transport, &why))
		fail(why.text);
	stn_sim_attend(fleet->sim, number, server ? look_server : look_member,
		       member);
	stn_sim_at(fleet->sim, 0, begin_member, member);
}

/* The only fiber, that of the server's rank. It ends the simulation. */
static void
conduct(void *arg)
{
	struct fleet *fleet = arg;
	const struct loadnews_options *options = fleet->options;

	do
		stn_sim_wait(fleet->sim,
			     ++fleet->rounds * MODEL_ROUND * MODEL_SECOND_NS);
	while (fleet->responses.count < options->samples &&
	       fleet->rounds < options->rounds);
}

static int
compare_times(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static double
mean_ms(const struct times *times)
{
	double sum = 0;

	for (size_t i = 0; i < times->count; i++)
		sum += (double)times->list[i];
	return times->count ? sum / (double)times->count * 1e-6 : 0;
}

/* Sorts the times. */
static double
percentile_ms(struct times *times, size_t percent)
{
	if (!times->count)
		return 0;
	qsort(times->list, times->count, sizeof(times->list[0]), compare_times);
	return (double)times->list[(times->count - 1) * percent / 100] * 1e-6;
}

/* What the columns mean: bench/README.md. */
static void
print_heading(void)
{
	printf("%-17s %6s %6s %7s %8s %8s %6s %6s %6s %9s %9s %9s %9s %10s "
	       "%10s "
	       "%6s\n",
	       "policy", "nodes", "rounds", "samples", "mean-ms", "p99-ms",
	       "left-%", "once-%", "over-%", "over-ppm", "tells", "asks", "all",
	       "info-KB/s", "all-KB/s", "busy-%");
}

static void
print_responses(struct fleet *fleet)
{
	const struct model *model = &fleet->model;

	printf("%-17s %6" PRIu32 " %6" PRIu32 " %7zu %8.3f %8.3f %6.2f ",
	       model->policy->name, model->count, fleet->rounds,
	       fleet->responses.count, mean_ms(&fleet->responses),
	       percentile_ms(&fleet->responses, 99),
	       100.0 * (double)model->left /
		       (double)(model->entered + !model->entered));
}

static void
print_rates(const struct fleet *fleet, double seconds)
{
	const struct model *model = &fleet->model;
	double node_seconds = seconds * model->count;
	double frame = (double)(HEADER_BYTES + fleet->options->frame_bytes);
	uint64_t tells = model->sent[0], asks = model->sent[1], all = 0;

	for (unsigned i = 0; i < STN_NEWS_KINDS; i++)
		all += model->sent[i];
	printf("%6.2f %6.3f %9.3f %9.4f %9.4f %9.4f %10.3f %10.3f %6.1f\n",
	       100.0 * (double)model->reached /
		       ((double)model->count * fleet->rounds),
	       100.0 * (double)model->over_seconds / node_seconds,
	       (double)model->over_ns * 1e-3 / node_seconds,
	       (double)tells / node_seconds, (double)asks / node_seconds,
	       (double)all / node_seconds,
	       (double)(tells + asks) * frame * 1e-3 / seconds,
	       (double)all * frame * 1e-3 / seconds,
	       (double)fleet->queue.busy_ns * 1e-7 / seconds);
}

static void
close_fleet(struct fleet *fleet)
{
	for (uint32_t i = 0; i <= fleet->model.count; i++) {
		stn_transport_close(fleet->members[i].transport, 0);
		model_node_fini(&fleet->members[i].node);
	}
	free(fleet->members);
	free(fleet->queue.list);
	free(fleet->responses.list);
}

static void
init_fleet(struct fleet *fleet, const struct loadnews_options *options)
{
	uint32_t count = (uint32_t)options->nodes;

	*fleet = (struct fleet){ .options = options };
	fleet->model = (struct model){ .policy = options->policy,
				       .count = count,
				       .seed = options->seed,
				       .shared = options->shared,
				       .apart = options->apart,
				       .send = fleet_send,
				       .arg = fleet,
				       .responded = note_response };
	fleet->members = calloc(count + 1ul, sizeof(fleet->members[0]));
	if (!fleet->members)
		fail("out of memory");
}

/* Headers stand for whole frames: the link is slower in proportion. */
static struct stn_link
scale_link(const struct loadnews_options *options)
{
	struct stn_link lan = options->lan;

	lan.bytes_per_s = lan.bytes_per_s * HEADER_BYTES /
			  (HEADER_BYTES + options->frame_bytes);
	return lan;
}

static void
simulate(struct fleet *fleet, const struct stn_topology *topology)
{
	struct stn_sim_model world = { .topology = topology,
				       .lan = scale_link(fleet->options),
				       .stack_bytes = STACK_BYTES,
				       .fail = fail };
	uint32_t count = fleet->model.count;
	struct stn_why why;

	fleet->sim = stn_sim_create(&world);
	if (!fleet->sim)
		fail("out of memory");
	for (uint32_t i = 0; i <= count; i++)
		add_member(fleet, topology, i);
	if (stn_sim_start(fleet->sim, count, conduct, fleet))
		fail("out of memory");
	if (stn_sim_run(fleet->sim, &why))
		fail(why.text);
	for (uint32_t i = 0; i < count; i++)
		model_node_end(&fleet->members[i].node,
			       stn_sim_now(fleet->sim));
}

static void
run(const struct loadnews_options *options)
{
	struct stn_topology topology = { .nodes = (uint32_t)options->nodes + 1,
					 .clusters = 1 };
	struct fleet fleet;

	init_fleet(&fleet, options);
	simulate(&fleet, &topology);
	print_responses(&fleet);
	print_rates(&fleet, (double)stn_sim_now(fleet.sim) * 1e-9);
	close_fleet(&fleet);
	stn_sim_destroy(fleet.sim);
}

int
main(int argc, char **argv)
{
	struct loadnews_options options = loadnews_options(argc, argv);

	if (!options.plain)
		print_heading();
	run(&options);
	return fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
