#include "launch/wireup/wireup_server.h"

#include <stdlib.h>
#include <string.h>

enum stn_err
stn_wireup_server_init(struct stn_wireup_server *server, uint32_t nodes,
		       stn_wireup_send_all *send_all, void *arg)
{
	*server = (struct stn_wireup_server){
		.send_all = send_all,
		.arg = arg,
		.nodes = nodes,
		.living = nodes,
		.clients = calloc(nodes, sizeof(server->clients[0])),
	};
	return server->clients ? STN_OK : STN_NO_MEMORY;
}

enum stn_err
stn_wireup_server_reserve(struct stn_wireup_server *server, uint32_t ranks)
{
	struct stn_wireup_client *clients =
		reallocarray(server->clients, ranks, sizeof(clients[0]));

	if (!clients)
		return STN_NO_MEMORY;
	server->clients = clients;
	for (uint32_t i = server->nodes; i < ranks; i++)
		clients[i] = (struct stn_wireup_client){ .died = true };
	return STN_OK;
}

void
stn_wireup_server_joined(struct stn_wireup_server *server, uint32_t rank)
{
	server->clients[rank].died = false;
	server->living++;
}

void
stn_wireup_server_fini(struct stn_wireup_server *server)
{
	for (uint32_t i = 0; i < server->nodes; i++)
		free(server->clients[i].card);
	free(server->clients);
}

static enum stn_err
send_cards(struct stn_wireup_server *server)
{
	unsigned char *body, *at;
	size_t size = 0;

	for (uint32_t i = 0; i < server->nodes; i++)
		size += sizeof(uint32_t) + server->clients[i].card_size;
	body = at = malloc(size);
	if (!body)
		return STN_NO_MEMORY;
	for (uint32_t i = 0; i < server->nodes; i++) {
		const struct stn_wireup_client *client = &server->clients[i];
		uint32_t bytes = (uint32_t)client->card_size;

		memcpy(at, &bytes, sizeof(bytes));
		memcpy(at + sizeof(bytes), client->card, bytes);
		at += sizeof(bytes) + bytes;
	}
	server->send_all(server->arg, STN_WIREUP_CARDS, body, size);
	free(body);
	return STN_OK;
}

/* All nodes have shown their cards, and may now show those of the next round.
 */
static enum stn_err
end_round(struct stn_wireup_server *server)
{
	server->shown = 0;
	server->rounds++;
	for (uint32_t i = 0; i < server->nodes; i++)
		server->clients[i].shown = false;
	return send_cards(server);
}

static enum stn_err
take_card(struct stn_wireup_server *server, struct stn_wireup_client *client,
	  const struct stn_wireup_frame *frame)
{
	size_t size = frame->head.size;
	unsigned char *card;

	if (client->shown || client->arrived)
		return STN_MALFORMED;
	card = realloc(client->card, size + 1);
	if (!card)
		return STN_NO_MEMORY;
	client->card = memcpy(card, frame->body, size);
	client->card_size = size;
	client->shown = true;
	return ++server->shown == server->nodes ? end_round(server) : STN_OK;
}

/* Opens the barrier if all living nodes are there. */
static void
server_check(struct stn_wireup_server *server)
{
	if (server->finished || server->held ||
	    server->arrived != server->living)
		return;
	server->finished = true;
	server->send_all(server->arg, STN_WIREUP_GO, NULL, 0);
}

static enum stn_err
take_arrival(struct stn_wireup_server *server, struct stn_wireup_client *client)
{
	if (client->arrived || client->shown || !server->rounds)
		return STN_MALFORMED;
	client->arrived = true;
	server->arrived++;
	server_check(server);
	return STN_OK;
}

void
stn_wireup_server_died(struct stn_wireup_server *server, uint32_t rank)
{
	struct stn_wireup_client *client = &server->clients[rank];

	if (client->died)
		return;
	client->died = true;
	server->living--;
	server->arrived -= client->arrived;
	if (server->living)
		server_check(server);
}

void
stn_wireup_server_hold(struct stn_wireup_server *server)
{
	server->held = true;
}

void
stn_wireup_server_release(struct stn_wireup_server *server)
{
	server->held = false;
	server_check(server);
}

static void
abort_by(struct stn_wireup_server *server, uint32_t rank)
{
	server->aborted = true;
	server->aborted_by = rank;
}

/* ABORT replaces the reason of an earlier MISS, because it says more. */
static void
take_abort(struct stn_wireup_server *server,
	   const struct stn_wireup_frame *frame)
{
	if (server->aborted && !server->misses)
		return;
	abort_by(server, frame->head.rank);
	server->misses = false;
	stn_because(&server->reason, STN_OK, "%.*s", (int)frame->head.size,
		    (const char *)frame->body);
}

static void
wireup_server_take_miss(struct stn_wireup_server *server,
			const struct stn_wireup_frame *frame)
{
	if (server->aborted)
		return;
	abort_by(server, frame->head.rank);
	server->misses = true;
	stn_wireup_frame_missed(frame, &server->reason);
}

enum stn_err
stn_wireup_server_take(struct stn_wireup_server *server,
		       const struct stn_wireup_frame *frame)
{
	struct stn_wireup_client *client = &server->clients[frame->head.rank];

	switch (frame->head.type) {
	case STN_WIREUP_CARD:
		return take_card(server, client, frame);
	case STN_WIREUP_ARRIVED:
		return take_arrival(server, client);
	case STN_WIREUP_ABORT:
		take_abort(server, frame);
		break;
	case STN_WIREUP_MISS:
		wireup_server_take_miss(server, frame);
		break;
	default: /* of a run that survives deaths */
		return STN_MALFORMED;
	}
	return STN_OK;
}
