#include "bench/news/beside.h"

#include <stdlib.h>
#include <string.h>

#include "bench/news/model.h"
#include "node/dispatch.h"
#include "node/progress.h"
#include "node/setting.h"

#define NAME_BYTES 32

struct beside_settings {
	char policy[NAME_BYTES];
	uint64_t per_node;
};

struct beside {
	struct stn_node *node;
	const struct beside_settings *settings;
	struct model model;
	bool begun;	   /* the node has looked once, */
	uint64_t begin_ns; /* at this time */
	bool closed;	   /* the run is over: nothing is sent any more */
	uint32_t count;	   /* of the model's nodes here */
	struct model_node *nodes;
};

static const struct stn_setting beside_rows[] = {
	{ "news", 0, TEXT, offsetof(struct beside_settings, policy), "none", 0,
	  NAME_BYTES, "name", "news policy that runs beside the program" },
	{ "news-nodes", 0, COUNT, offsetof(struct beside_settings, per_node),
	  "2", 1, 1000, "nodes", "of its model, on each node of the run" },
};

static const struct stn_setting_table beside_table = {
	.rows = beside_rows,
	.count = sizeof(beside_rows) / sizeof(beside_rows[0]),
	.bytes = sizeof(struct beside_settings),
};

static const struct stn_setting_table *
beside_settings(size_t number)
{
	return number ? NULL : &beside_table;
}

static uint64_t
beside_now(const struct beside *beside)
{
	return beside->begun ? stn_node_now(beside->node) - beside->begin_ns
			     : 0;
}

/* The node of the run that has node @number of the model. */
static uint32_t
rank_of(const struct beside *beside, uint32_t number)
{
	return number / (uint32_t)beside->settings->per_node;
}

static struct model_node *
node_of(struct beside *beside, uint32_t number)
{
	return &beside->nodes[number - beside->nodes[0].news.number];
}

/* Of two of the model's nodes on this node of the run. */
static void
hand_over(struct beside *beside, const struct stn_message *message)
{
	struct stn_news_wire wire;

	if (stn_news_parse(message, beside->model.count + 1, &wire) ||
	    model_node_take(node_of(beside, wire.note.to), &wire,
			    beside_now(beside)))
		stn_node_fail(beside->node, "news of load are malformed");
}

static void
beside_send(void *arg, struct model_node *from, uint32_t to, uint8_t kind,
	    const void *header, size_t bytes)
{
	struct beside *beside = arg;
	const struct stn_message message = { .kind = kind,
					     .header = header,
					     .header_bytes = bytes };

	(void)from;
	if (beside->closed)
		return;
	if (rank_of(beside, to) == beside->node->rank)
		hand_over(beside, &message);
	else
		stn_node_say(beside->node, rank_of(beside, to), kind, header,
			     bytes);
}

static void
beside_close(void *state)
{
	struct beside *beside = state;

	for (uint32_t i = 0; i < beside->count; i++)
		model_node_fini(&beside->nodes[i]);
	free(beside->nodes);
	free(beside);
}

static enum stn_err
make_nodes(struct beside *beside)
{
	uint32_t per = (uint32_t)beside->settings->per_node;
	uint32_t first = beside->node->rank * per;
	uint32_t wanted = first == beside->model.count ? 1 : per;
	enum stn_err err = STN_OK;

	beside->nodes = calloc(wanted, sizeof(beside->nodes[0]));
	if (!beside->nodes)
		return STN_NO_MEMORY;
	while (!err && beside->count < wanted) {
		err = model_node_init(&beside->nodes[beside->count],
				      &beside->model, first + beside->count, 0);
		beside->count++;
	}
	return err;
}

static void
init_model(struct beside *beside, const struct stn_news_policy *policy)
{
	const struct stn_node *node = beside->node;

	beside->model = (struct model){
		.policy = policy,
		.count = (uint32_t)((node->topology->nodes - 1) *
				    beside->settings->per_node),
		.seed = node->config->seed,
		.send = beside_send,
		.arg = beside,
	};
}

static enum stn_err
beside_open(struct stn_node *node, void **state_p, struct stn_why *why)
{
	const struct beside_settings *settings =
		stn_config_own(node->config, &beside_table);
	const struct stn_news_policy *policy = stn_news_find(settings->policy);
	struct beside *beside;

	if (!policy && strcmp(settings->policy, "none") != 0)
		return stn_because(why, STN_INVALID,
				   "no news policy \"%s\"; see `sateen info` "
				   "for the names",
				   settings->policy);
	if (policy && node->topology->nodes < 2)
		return stn_because(why, STN_INVALID,
				   "news need two nodes: one has the server");
	beside = calloc(1, sizeof(*beside));
	if (!beside)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	beside->node = node;
	beside->settings = settings;
	init_model(beside, policy);
	if (policy && make_nodes(beside)) {
		beside_close(beside);
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	}
	*state_p = beside;
	return STN_OK;
}

static enum stn_err
beside_handle(void *state, const struct stn_message *message)
{
	struct beside *beside = state;
	struct stn_news_wire wire;

	if (!beside->count ||
	    stn_news_parse(message, beside->model.count + 1, &wire) ||
	    rank_of(beside, wire.note.from) != message->from ||
	    rank_of(beside, wire.note.to) != beside->node->rank)
		return STN_MALFORMED;
	if (beside->closed)
		return STN_OK;
	return model_node_take(node_of(beside, wire.note.to), &wire,
			       beside_now(beside));
}

static uint64_t
beside_look_after(void *state, uint64_t now)
{
	struct beside *beside = state;
	uint64_t next = STN_FOREVER;

	if (beside->closed)
		return STN_FOREVER;
	if (!beside->begun)
		beside->begin_ns = now;
	beside->begun = true;
	for (uint32_t i = 0; i < beside->count; i++) {
		uint64_t look =
			model_node_look(&beside->nodes[i], beside_now(beside));

		if (look < next)
			next = look;
	}
	return next == STN_FOREVER ? next : beside->begin_ns + next;
}

static enum stn_err
beside_finish(void *state)
{
	struct beside *beside = state;

	stn_node_enter(beside->node);
	beside->closed = true;
	stn_node_leave(beside->node);
	return STN_OK;
}

const struct stn_service beside_service = {
	.name = "news",
	.kinds = stn_news_kinds,
	.kind_count = STN_NEWS_KINDS,
	.settings = beside_settings,
	.open = beside_open,
	.close = beside_close,
	.handle = beside_handle,
	.look_after = beside_look_after,
	.finish = beside_finish,
};
