#include "bench/news/model.h"

#include <math.h>

#define RATES 10
#define SERVED 10.0
#define NORMAL_FROM 10.0
#define OVER_FROM 15.0
#define STREAM_NEWS 0	  /* random numbers of the policy, */
#define STREAM_TIMES 1	  /* of the times of steps and ticks, */
#define STREAM_ARRIVALS 2 /* and of arrivals */
#define STREAMS 3

static enum stn_level
level_of(double load)
{
	if (load >= OVER_FROM)
		return STN_LEVEL_OVER;
	return load >= NORMAL_FROM ? STN_LEVEL_NORMAL : STN_LEVEL_UNDER;
}

/* Above 0 and up to 1. */
static double
draw_share(struct stn_random *random)
{
	return (double)((stn_random_next(random) >> 11) + 1) * 0x1p-53;
}

/* The sizes of a Poisson number of jobs, together. */
static double
draw_jobs(struct stn_random *random, double rate)
{
	double tasks = 0, left = exp(-rate);

	for (double product = draw_share(random); product > left;
	     product *= draw_share(random))
		tasks -= log(draw_share(random));
	return tasks;
}

static uint32_t
rate_of(const struct model_node *node)
{
	return 1 + node->news.number % RATES;
}

static void
seed_arrivals(struct model_node *node)
{
	const struct model *model = node->model;
	uint64_t stream = model->shared ? rate_of(node) : node->news.number;

	stn_random_seed(&node->arrivals, model->seed,
			stream * STREAMS + STREAM_ARRIVALS);
}

/* The load has changed; the policy does not know yet. */
static void
note_level(struct model_node *node)
{
	struct model *model = node->model;
	bool was = node->news.level == STN_LEVEL_OVER;
	bool is = level_of(node->load) == STN_LEVEL_OVER;

	if (is && !was) {
		model->entered++;
		model->reached += !node->reached;
		node->reached = true;
		node->since_ns = node->now_ns;
		node->waiting = true;
	} else if (was && !is) {
		model->over_ns += node->now_ns - node->since_ns;
		model->left += node->waiting;
		node->waiting = false;
	}
}

static void
change_level(struct model_node *node)
{
	note_level(node);
	stn_news_changed(&node->news, level_of(node->load));
}

static void
model_say(void *arg, uint32_t to, uint8_t kind, const void *header,
	  size_t bytes)
{
	struct model_node *node = arg;

	node->model->sent[kind - STN_NEWS_KIND_TELL]++;
	node->model->send(node->model->arg, node, to, kind, header, bytes);
}

static void
model_balance(void *arg, uint32_t with)
{
	struct model_node *node = arg;
	struct model *model = node->model;
	const struct stn_news_load load = { node->news.number, with,
					    node->load / 2 };

	if (node->waiting && model->responded)
		model->responded(model->arg, node->now_ns - node->since_ns);
	node->waiting = false;
	model->balanced++;
	node->load -= load.tasks;
	model_say(node, with, STN_NEWS_KIND_LOAD, &load, sizeof(load));
	change_level(node);
}

static const struct stn_news_host model_host = { model_say, model_balance };

enum stn_err
model_node_init(struct model_node *node, struct model *model, uint32_t number,
		uint64_t now_ns)
{
	struct stn_random times;

	*node = (struct model_node){
		.model = model,
		.news = { .policy = model->policy,
			  .host = &model_host,
			  .arg = node,
			  .number = number,
			  .count = model->count,
			  .server = model->count },
	};
	stn_random_seed(&node->news.random, model->seed,
			number * (uint64_t)STREAMS + STREAM_NEWS);
	stn_random_seed(&times, model->seed,
			number * (uint64_t)STREAMS + STREAM_TIMES);
	seed_arrivals(node);
	node->now_ns = now_ns;
	node->step_ns = now_ns + stn_random_below(&times, MODEL_SECOND_NS);
	node->tick_ns = node->step_ns;
	if (model->apart)
		node->tick_ns =
			now_ns + stn_random_below(&times, MODEL_SECOND_NS);
	return stn_news_init(&node->news);
}

void
model_node_fini(struct model_node *node)
{
	stn_news_fini(&node->news);
}

static void
begin_round(struct model_node *node)
{
	node->second = 0;
	node->reached = false;
	node->load = 0;
	if (node->model->shared)
		seed_arrivals(node);
}

/* A second of the population process. */
static void
step(struct model_node *node)
{
	if (node->second == MODEL_ROUND)
		begin_round(node);
	node->second++;
	node->load += draw_jobs(&node->arrivals, rate_of(node));
	node->load -= fmin(node->load, SERVED);
	node->model->over_seconds += node->load >= OVER_FROM;
	change_level(node);
}

uint64_t
model_node_look(struct model_node *node, uint64_t now_ns)
{
	if (node->news.number == node->model->count)
		return STN_FOREVER;
	node->now_ns = now_ns;
	if (!node->begun) {
		node->begun = true;
		stn_news_begin(&node->news);
	}
	while (node->step_ns <= now_ns) {
		node->step_ns += MODEL_SECOND_NS;
		step(node);
	}
	while (node->tick_ns <= now_ns) {
		node->tick_ns += MODEL_SECOND_NS;
		stn_news_tick(&node->news);
	}
	return node->step_ns < node->tick_ns ? node->step_ns : node->tick_ns;
}

enum stn_err
model_node_take(struct model_node *node, const struct stn_news_wire *wire,
		uint64_t now_ns)
{
	node->now_ns = now_ns;
	if (wire->kind != STN_NEWS_KIND_LOAD)
		return stn_news_take(&node->news, wire);
	if (node->news.number == node->model->count ||
	    wire->load.from >= node->model->count)
		return STN_MALFORMED;
	node->load += wire->load.tasks;
	note_level(node);
	stn_news_given(&node->news, wire->load.from, level_of(node->load));
	return STN_OK;
}

void
model_node_end(struct model_node *node, uint64_t now_ns)
{
	if (node->news.level == STN_LEVEL_OVER)
		node->model->over_ns += now_ns - node->since_ns;
	node->since_ns = now_ns;
}
