#include "transport/wireup/wireup_server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum stn_err
stn_wireup_server_init(struct stn_wireup_server *server, uint32_t nodes)
{
	memset(server, 0, sizeof(*server));
	server->nodes = nodes;
	server->clients = calloc(nodes, sizeof(server->clients[0]));
	if (!server->clients)
		return STN_NO_MEMORY;
	for (uint32_t i = 0; i < nodes; i++)
		server->clients[i].fd = -1;
	return STN_OK;
}

void
stn_wireup_server_fini(struct stn_wireup_server *server)
{
	for (uint32_t i = 0; i < server->nodes; i++) {
		free(server->clients[i].body);
		free(server->clients[i].card);
	}
	free(server->clients);
}

/* A node that can't be told has died, which its launcher sees by itself. */
static void
tell_all(struct stn_wireup_server *server, enum stn_frame_type type,
	 const void *body, size_t size)
{
	for (uint32_t i = 0; i < server->nodes; i++)
		if (stn_frame_write(server->clients[i].fd, type, body, size))
			continue;
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
	tell_all(server, STN_FRAME_CARDS, body, size);
	free(body);
	return STN_OK;
}

static enum stn_err
take_card(struct stn_wireup_server *server, struct stn_wireup_client *client)
{
	if (client->shown)
		return STN_MALFORMED;
	client->shown = true;
	client->card = client->body;
	client->card_size = client->head.size;
	client->body = NULL;
	return ++server->shown == server->nodes ? deal_cards(server) : STN_OK;
}

static enum stn_err
take_arrival(struct stn_wireup_server *server, struct stn_wireup_client *client)
{
	if (client->arrived || server->shown < server->nodes)
		return STN_MALFORMED;
	client->arrived = true;
	if (++server->arrived == server->nodes) {
		server->finished = true;
		tell_all(server, STN_FRAME_GO, NULL, 0);
	}
	return STN_OK;
}

static void
take_abort(struct stn_wireup_server *server, uint32_t rank)
{
	const struct stn_wireup_client *client = &server->clients[rank];

	if (server->aborted)
		return;
	server->aborted = true;
	server->aborted_by = rank;
	stn_because(&server->reason, STN_OK, "%.*s", (int)client->head.size,
		    (const char *)client->body);
}

static enum stn_err
take_frame(struct stn_wireup_server *server, uint32_t rank)
{
	struct stn_wireup_client *client = &server->clients[rank];
	enum stn_err err = STN_OK;

	switch (client->head.type) {
	case STN_FRAME_CARD:
		err = take_card(server, client);
		break;
	case STN_FRAME_ARRIVED:
		err = take_arrival(server, client);
		break;
	case STN_FRAME_ABORT:
		take_abort(server, rank);
		break;
	}
	free(client->body);
	client->body = NULL;
	client->got = 0;
	return err;
}

/* Reads what is still missing of the head, or of the body. */
static enum stn_err
read_some(struct stn_wireup_client *client)
{
	size_t head = sizeof(client->head);
	char *at;
	size_t missing;
	ssize_t got;

	if (client->got < head) {
		at = (char *)&client->head + client->got;
		missing = head - client->got;
	} else {
		at = (char *)client->body + (client->got - head);
		missing = head + client->head.size - client->got;
	}
	got = read(client->fd, at, missing);
	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return STN_OK;
	if (got <= 0)
		return STN_LOST;
	client->got += (size_t)got;
	return STN_OK;
}

enum stn_err
stn_wireup_server_read(struct stn_wireup_server *server, uint32_t rank)
{
	struct stn_wireup_client *client = &server->clients[rank];
	enum stn_err err = read_some(client);

	if (err || client->got < sizeof(client->head))
		return err;
	if (!client->body) {
		err = stn_frame_check(&client->head);
		if (err)
			return err;
		client->body = malloc(client->head.size + 1);
		if (!client->body)
			return STN_NO_MEMORY;
	}
	if (client->got < sizeof(client->head) + client->head.size)
		return STN_OK;
	return take_frame(server, rank);
}
