/*
 * service.c: the table of Hector's service, and the life of its state.
 */
#include <stdlib.h>
#include <string.h>

#include "node/progress.h"
#include "node/setting.h"
#include "parts/hector/check.h"
#include "parts/hector/hector.h"
#include "parts/hector/master.h"
#include "parts/hector/resident.h"
#include "parts/hector/slave.h"
#include "parts/hector/wire.h"
#include "parts/scheduler.h"

#define AT(member) offsetof(struct stn_hector_settings, member)

static const struct stn_setting hector_rows[] = {
	{ "hector", 0, TEXT, AT(hector), "no", 0, STN_WORD_BYTES, "yes, no",
	  "a node's parts move to a spare node when others use its cores" },
	{ "hectiling", 0, TEXT, AT(hectiling), "no", 0, STN_WORD_BYTES, "how",
	  "fractiling by way of Hector: no, yes, channel, inside" },
	{ "spare", 0, COUNT, AT(spares), "0", 0, 99999, "nodes",
	  "the highest ranks, which have no parts of arrays at first" },
	{ "hector-period", 0, DURATION, AT(period_ns), "1s", 0, 0, "time",
	  "between two reports of a node" },
	{ "hector-keeps", 0, COUNT, AT(keeps), "75", 1, 100, "percent",
	  "parts leave a node whose workers get less of their cores" },
	{ "hector-links", 0, TEXT, AT(links), "yes", 0, STN_WORD_BYTES,
	  "yes, no", "parts move only if that costs no more than was lost" },
	{ "hector-service", 0, DURATION, AT(service_ns), "0s", 0, 0, "time",
	  "the master allocator takes so long for each message" },
};

static const struct stn_setting_table hector_table = {
	.rows = hector_rows,
	.count = sizeof(hector_rows) / sizeof(hector_rows[0]),
	.bytes = sizeof(struct stn_hector_settings),
};

static const struct stn_setting_table *
hector_settings(size_t number)
{
	return number ? NULL : &hector_table;
}

static bool
is_one_of(const char *text, const char *const *words)
{
	while (*words && strcmp(text, *words) != 0)
		words++;
	return *words;
}

static enum stn_err
check_words(const struct stn_hector_settings *settings, struct stn_why *why)
{
	static const char *const two[] = { "yes", "no", NULL };
	static const char *const four[] = { "no", "yes", "channel", "inside",
					    NULL };

	if (!is_one_of(settings->hector, two) ||
	    !is_one_of(settings->links, two))
		return stn_because(why, STN_INVALID,
				   "hector and hector-links can be yes or no");
	if (!is_one_of(settings->hectiling, four))
		return stn_because(why, STN_INVALID,
				   "hectiling is \"%s\"; it can be no, yes, "
				   "channel or inside",
				   settings->hectiling);
	return settings->period_ns
		       ? STN_OK
		       : stn_because(why, STN_INVALID,
				     "hector-period must be above 0");
}

static bool
goes_through(const struct stn_hector_settings *settings)
{
	return strcmp(settings->hectiling, "no") != 0;
}

/* Are hosts watched? */
static bool
watches_hosts(const struct stn_hector_settings *settings)
{
	return goes_through(settings) || !strcmp(settings->hector, "yes");
}

/* What the scheduler allows. */
static enum stn_err
check_scheduler(const struct stn_config *config,
		const struct stn_hector_settings *settings, struct stn_why *why)
{
	const struct stn_scheduler *scheduler =
		stn_scheduler_find(config->scheduler);

	if (watches_hosts(settings) && !scheduler->resident)
		return stn_because(why, STN_INVALID,
				   "resident sets can't move with the "
				   "scheduler %s; leave --hector out",
				   scheduler->name);
	if (goes_through(settings) && !scheduler->pack)
		return stn_because(why, STN_INVALID,
				   "hectiling is for --scheduler fractiling");
	return STN_OK;
}

enum stn_err
stn_hector_check(const struct stn_config *config, uint32_t nodes,
		 struct stn_why *why)
{
	const struct stn_hector_settings *settings =
		stn_config_own(config, &hector_table);
	enum stn_err err = check_words(settings, why);

	if (!err)
		err = check_scheduler(config, settings, why);
	if (!err && settings->spares >= nodes)
		err = stn_because(why, STN_INVALID,
				  "all nodes are spare; lower --spare");
	return err;
}

static void
request_by_master(struct stn_parts_service *parts,
		  const struct stn_parts_ask *ask)
{
	stn_master_tell(stn_node_state(parts->node, &stn_hector_service),
			STN_HECTOR_REQUEST, ask, sizeof(*ask));
}

static void
set_spares(struct stn_parts_service *parts,
	   const struct stn_hector_settings *settings)
{
	const struct stn_node *node = parts->node;

	parts->spares = (uint32_t)settings->spares;
	if (node->rank >= node->topology->nodes - parts->spares)
		parts->seat = STN_NOBODY;
}

/* Tells the service of parts what it has to know of this one. */
static void
hector_attach(const struct stn_hector *hector)
{
	struct stn_parts_service *parts = hector->parts;
	uint32_t nodes = hector->node->topology->nodes;

	if (hector->through) {
		parts->request = request_by_master;
		parts->foresees = true;
		parts->inside = hector->inside;
	}
	parts->sets_move = true;
	parts->pieces_to = calloc(nodes, sizeof(parts->pieces_to[0]));
}

static void
hector_close(void *state)
{
	struct stn_hector *hector = state;

	stn_master_fini(hector);
	stn_share_fini(&hector->share);
	free(hector);
}

static struct stn_hector *
hector_create(struct stn_node *node, struct stn_parts_service *parts,
	      const struct stn_hector_settings *settings)
{
	struct stn_hector *hector = calloc(1, sizeof(*hector));

	if (!hector || stn_share_init(&hector->share, node->worker_count)) {
		free(hector);
		return NULL;
	}
	hector->node = node;
	hector->parts = parts;
	hector->settings = settings;
	hector->through = goes_through(settings);
	hector->inside = !strcmp(settings->hectiling, "inside");
	hector->leaving.set = STN_NOBODY;
	hector->ordered.set = STN_NOBODY;
	hector->joins = !stn_members_has(&node->members, node->rank);
	stn_master_init(hector);
	return hector;
}

/*
 * If hosts are not watched, the service has no state, and does nothing: a
 * simulation has many nodes.
 */
static enum stn_err
hector_open(struct stn_node *node, void **state_p, struct stn_why *why)
{
	const struct stn_hector_settings *settings =
		stn_config_own(node->config, &hector_table);
	struct stn_parts_service *parts =
		stn_node_state(node, &stn_parts_service);
	struct stn_hector *hector;
	enum stn_err err =
		stn_hector_check(node->config, node->topology->nodes, why);

	if (err)
		return err;
	set_spares(parts, settings);
	if (!watches_hosts(settings))
		return STN_OK;
	hector = hector_create(node, parts, settings);
	if (!hector)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	hector_attach(hector);
	*state_p = hector;
	return STN_OK;
}

static enum stn_err
hector_handle(void *state, const struct stn_message *message)
{
	struct stn_hector *hector = state;
	struct stn_hector_wire wire;
	enum stn_err err;

	if (!hector)
		return STN_MALFORMED;
	err = stn_hector_parse(message, hector->node->topology->nodes, &wire);
	if (err)
		return err;
	switch (message->kind) {
	case STN_HECTOR_MIGRATE:
		stn_resident_leave(hector, &wire.migrate);
		return STN_OK;
	case STN_HECTOR_SET:
		stn_resident_come(hector, &wire.migrate);
		return STN_OK;
	case STN_HECTOR_STATE:
		return stn_resident_state(hector, message, &wire.state);
	}
	return stn_master_take(hector, message);
}

static void
hector_enter(void *state, struct stn_worker *worker)
{
	struct stn_hector *hector = state;

	if (!hector || hector->node->sim)
		return;
	stn_node_enter(hector->node);
	stn_share_enter(&hector->share, worker->number);
	stn_node_leave(hector->node);
}

static uint64_t
sooner(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t
hector_look_after(void *state, uint64_t now)
{
	struct stn_hector *hector = state;
	uint64_t again;

	if (!hector)
		return STN_AT_REST;
	if (hector->closed)
		return STN_FOREVER;
	again = sooner(stn_slave_look(hector, now),
		       sooner(stn_resident_look(hector, now),
			      stn_master_look(hector, now)));
	/* The fractiling master may be here, and have got a request now. */
	if (hector->through)
		again = sooner(again,
			       stn_scheduler_look_after(hector->parts, now));
	return again;
}

static void
hector_died(void *state, uint32_t rank)
{
	struct stn_hector *hector = state;

	(void)rank;
	if (!hector)
		return;
	hector->leaving.set = STN_NOBODY;
	hector->ordered.set = STN_NOBODY;
	hector->expected = 0;
	hector->parts->heir = STN_NOBODY;
	hector->parts->scattered = true;
	hector->lost = true;
}

static void
hector_noticed(void *state, const struct stn_notice *notices, size_t count)
{
	struct stn_hector *hector = state;

	(void)notices;
	(void)count;
	if (!hector)
		return;
	hector->joins = false;
	/* Orders to move sets stay valid when nodes have only joined. */
	if (!hector->lost)
		return;
	hector->lost = false;
	stn_master_forget(hector);
	/* The next report is sent: there may be a new master allocator. */
	hector->left_out = UINT32_MAX;
	hector->registered = false;
}

static enum stn_err
hector_finish(void *state)
{
	struct stn_hector *hector = state;

	if (!hector)
		return STN_OK;
	stn_node_enter(hector->node);
	hector->closed = true;
	stn_node_leave(hector->node);
	return STN_OK;
}

const struct stn_service stn_hector_service = {
	.name = "hector",
	.kinds = stn_hector_kinds,
	.kind_count = STN_HECTOR_KINDS,
	.counts = &stn_hector_counts_table,
	.settings = hector_settings,
	.open = hector_open,
	.close = hector_close,
	.handle = hector_handle,
	.enter = hector_enter,
	.look_after = hector_look_after,
	.died = hector_died,
	.noticed = hector_noticed,
	.finish = hector_finish,
	.count = stn_hector_count,
};
