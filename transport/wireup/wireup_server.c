#include "transport/wireup/wireup_server.h"

#include <stdlib.h>
#include <string.h>

enum stn_err
stn_wireup_server_init(struct stn_wireup_server *server, uint32_t nodes,
		       stn_wireup_tell *tell, void *arg)
{
	*server = (struct stn_wireup_server){
		.tell = tell,
		.arg = arg,
		.nodes = nodes,
		.clients = calloc(nodes, sizeof(server->clients[0])),
	};
	return server->clients ? STN_OK : STN_NO_MEMORY;
}

void
stn_wireup_server_fini(struct stn_wireup_server *server)
{
	for (uint32_t i = 0; i < server->nodes; i++)
		free(server->clients[i].card);
	free(server->clients);
}

static enum stn_err
deal_cards(struct stn_wireup_server *server)
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
	server->tell(server->arg, STN_FRAME_CARDS, body, size);
	free(body);
	return STN_OK;
}

/* All have shown their cards: from now on they may show the next. */
static enum stn_err
end_round(struct stn_wireup_server *server)
{
	server->shown = 0;
	server->rounds++;
	for (uint32_t i = 0; i < server->nodes; i++)
		server->clients[i].shown = false;
	return deal_cards(server);
}

static enum stn_err
take_card(struct stn_wireup_server *server, struct stn_wireup_client *client,
	  struct stn_frame_in *frame)
{
	if (client->shown || client->arrived)
		return STN_MALFORMED;
	free(client->card);
	client->shown = true;
	client->card = frame->body;
	client->card_size = frame->head.size;
	frame->body = NULL;
	return ++server->shown == server->nodes ? end_round(server) : STN_OK;
}

static enum stn_err
take_arrival(struct stn_wireup_server *server, struct stn_wireup_client *client)
{
	if (client->arrived || client->shown || !server->rounds)
		return STN_MALFORMED;
	client->arrived = true;
	if (++server->arrived == server->nodes) {
		server->finished = true;
		server->tell(server->arg, STN_FRAME_GO, NULL, 0);
	}
	return STN_OK;
}

static void
abort_by(struct stn_wireup_server *server, uint32_t rank)
{
	server->aborted = true;
	server->aborted_by = rank;
}

/* It says more than that somebody is missed. */
static void
take_abort(struct stn_wireup_server *server, uint32_t rank,
	   const struct stn_frame_in *frame)
{
	if (server->aborted && !server->misses)
		return;
	abort_by(server, rank);
	server->misses = false;
	stn_because(&server->reason, STN_OK, "%.*s", (int)frame->head.size,
		    (const char *)frame->body);
}

static void
take_miss(struct stn_wireup_server *server, uint32_t rank,
	  const struct stn_frame_in *frame)
{
	if (server->aborted)
		return;
	abort_by(server, rank);
	server->misses = true;
	stn_frame_missed(frame, &server->reason);
}

enum stn_err
stn_wireup_server_take(struct stn_wireup_server *server, uint32_t rank,
		       struct stn_frame_in *frame)
{
	struct stn_wireup_client *client = &server->clients[rank];
	enum stn_err err = STN_OK;

	switch (frame->head.type) {
	case STN_FRAME_CARD:
		err = take_card(server, client, frame);
		break;
	case STN_FRAME_ARRIVED:
		err = take_arrival(server, client);
		break;
	case STN_FRAME_ABORT:
		take_abort(server, rank, frame);
		break;
	case STN_FRAME_MISS:
		take_miss(server, rank, frame);
		break;
	}
	stn_frame_drop(frame);
	return err;
}
