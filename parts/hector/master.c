#include "parts/hector/master.h"

#include <stdlib.h>
#include <string.h>

#include "node/dispatch.h"
#include "node/progress.h"
#include "parts/hector/resident.h"
#include "parts/hector/wire.h"
#include "parts/seats.h"

#define FRACTILING_SET 0 /* that has the fractiling master */

static bool
has_master(const struct stn_hector *hector)
{
	return hector->node->rank == hector->node->members.root;
}

void
stn_master_init(struct stn_hector *hector)
{
	const struct stn_hector_settings *settings = hector->settings;
	struct stn_node *node = hector->node;

	stn_desk_init(&hector->desk, settings->service_ns,
		      !strcmp(settings->hectiling, "channel"));
	hector->hosts = (struct stn_hosts){
		.topology = node->topology,
		.members = &node->members,
		.lan = node->config->lan,
		.keeps = (double)settings->keeps / 100,
		.links = !strcmp(settings->links, "yes"),
	};
	hector->fractiling = STN_NOBODY;
	STAILQ_INIT(&hector->held);
}

static void
drop_held(struct stn_hector *hector)
{
	while (!STAILQ_EMPTY(&hector->held)) {
		struct stn_held_request *request = STAILQ_FIRST(&hector->held);

		STAILQ_REMOVE_HEAD(&hector->held, link);
		free(request);
	}
}

void
stn_master_fini(struct stn_hector *hector)
{
	drop_held(hector);
	stn_desk_fini(&hector->desk);
	stn_hosts_forget(&hector->hosts);
}

void
stn_master_forget(struct stn_hector *hector)
{
	drop_held(hector);
	stn_desk_fini(&hector->desk);
	stn_hosts_forget(&hector->hosts);
	hector->fractiling = STN_NOBODY;
}

void
stn_master_tell(struct stn_hector *hector, uint8_t kind, const void *header,
		size_t bytes)
{
	struct stn_node *node = hector->node;
	const struct stn_message message = { .from = node->rank,
					     .kind = kind,
					     .header = header,
					     .header_bytes = bytes };

	if (hector->closed)
		return;
	if (!has_master(hector))
		stn_node_say(node, node->members.root, kind, header, bytes);
	else if (stn_master_take(hector, &message))
		stn_node_fail(node, "a message to the master allocator is "
				    "malformed; please report that");
}

enum stn_err
stn_master_take(struct stn_hector *hector, const struct stn_message *message)
{
	uint64_t now = stn_node_now(hector->node);

	if (hector->closed || !has_master(hector))
		return STN_OK; /* it is for an earlier root */
	if (!stn_desk_put(&hector->desk, message,
			  message->kind == STN_HECTOR_REQUEST, now))
		stn_node_fail(hector->node, "out of memory");
	if (hector->settings->service_ns)
		stn_progress_kick(hector->node);
	else
		stn_master_look(hector, now);
	return STN_OK;
}

static void
order_move(struct stn_hector *hector, uint32_t from, uint32_t to)
{
	const struct stn_hector_migrate order = {
		.set = hector->hosts.of[from].report.set,
		.to = to,
	};

	stn_hosts_moving(&hector->hosts, from, to);
	if (order.set == FRACTILING_SET)
		hector->fractiling = STN_NOBODY;
	if (from == hector->node->rank)
		stn_resident_leave(hector, &order);
	else
		stn_node_say(hector->node, from, STN_HECTOR_MIGRATE, &order,
			     sizeof(order));
}

static void
serve_report(struct stn_hector *hector, uint32_t from,
	     const struct stn_hector_report *report, uint64_t now)
{
	uint32_t to;

	hector->counts.hector_reports++;
	if (report->set != STN_NOBODY)
		stn_seat_report(hector->parts, report->set, from);
	if (stn_hosts_report(&hector->hosts, from, report, now))
		stn_node_fail(hector->node, "out of memory");
	to = stn_hosts_target(&hector->hosts, from);
	if (to != STN_NOBODY)
		order_move(hector, from, to);
}

/* The fractiling master gets the request as if the asker had sent it. */
static void
pass_request(struct stn_hector *hector, const struct stn_parts_ask *ask,
	     uint32_t to)
{
	struct stn_node *node = hector->node;
	const struct stn_message message = { .from = node->rank,
					     .kind = STN_PARTS_KIND_ASK,
					     .header = ask,
					     .header_bytes = sizeof(*ask) };

	hector->counts.requests_passed++;
	if (to != node->rank)
		stn_node_say(node, to, STN_PARTS_KIND_ASK, ask, sizeof(*ask));
	else if (hector->parts->handle(hector->parts, &message))
		stn_node_fail(node, "a request for parts is malformed");
}

static void
hold_request(struct stn_hector *hector, const struct stn_parts_ask *ask)
{
	struct stn_held_request *request = malloc(sizeof(*request));

	if (!request)
		stn_node_fail(hector->node, "out of memory");
	request->ask = *ask;
	STAILQ_INSERT_TAIL(&hector->held, request, link);
	hector->counts.requests_held++;
}

static void
serve_request(struct stn_hector *hector, const struct stn_parts_ask *ask)
{
	if (hector->inside)
		pass_request(hector, ask, hector->node->rank);
	else if (hector->fractiling != STN_NOBODY)
		pass_request(hector, ask, hector->fractiling);
	else
		hold_request(hector, ask);
}

static void
serve_register(struct stn_hector *hector, uint32_t from)
{
	hector->fractiling = from;
	while (!STAILQ_EMPTY(&hector->held)) {
		struct stn_held_request *request = STAILQ_FIRST(&hector->held);

		STAILQ_REMOVE_HEAD(&hector->held, link);
		pass_request(hector, &request->ask, from);
		free(request);
	}
}

static void
serve_item(struct stn_hector *hector, const struct stn_desk_item *item,
	   uint64_t now)
{
	const struct stn_message message = { .from = item->from,
					     .kind = item->kind,
					     .header = item->header,
					     .header_bytes =
						     item->header_bytes };
	struct stn_hector_wire wire;

	if (stn_hector_parse(&message, hector->node->topology->nodes, &wire))
		return; /* it has been parsed before */
	switch (item->kind) {
	case STN_HECTOR_REPORT:
		serve_report(hector, item->from, &wire.report, now);
		break;
	case STN_HECTOR_MOVED:
		stn_seat_report(hector->parts, wire.moved.set, wire.moved.to);
		stn_hosts_moved(&hector->hosts, item->from, wire.moved.to,
				wire.moved.set);
		break;
	case STN_HECTOR_REQUEST:
		hector->counts.requests_waited_ns += now - item->came_ns;
		serve_request(hector, &wire.ask);
		break;
	case STN_HECTOR_REGISTER:
		serve_register(hector, item->from);
		break;
	}
}

uint64_t
stn_master_look(struct stn_hector *hector, uint64_t now)
{
	struct stn_desk_item *item;
	uint64_t again;

	while ((item = stn_desk_take(&hector->desk, now, &again))) {
		serve_item(hector, item, now);
		free(item);
	}
	return again;
}
