#include "parts/early.h"

#include <stdlib.h>
#include <string.h>

#include "node/dispatch.h"

struct stn_early {
	STAILQ_ENTRY(stn_early) link;
	struct stn_parts_service *service;
	struct stn_message message;
	unsigned char header[STN_HEADER_BYTES];
	bool landed;
	bool lost; /* its sender has died before the payload came */
	_Alignas(16) unsigned char payload[];
};

static void
early_landed(void *arg, enum stn_err err)
{
	struct stn_early *early = arg;

	stn_node_must_arrive(early->service->node, "a message about an array",
			     err);
	early->landed = true;
	early->lost = err;
	stn_early_retry(early->service);
}

void
stn_early_keep(struct stn_parts_service *service,
	       const struct stn_message *message)
{
	size_t bytes = message->payload_bytes;
	struct stn_early *early;
	struct iovec piece;

	if (service->early.now) {
		service->early.again = true;
		return;
	}
	early = calloc(1, sizeof(*early) + bytes);
	if (!early)
		stn_node_fail(service->node, "out of memory");
	early->service = service;
	early->message = *message;
	early->message.header = early->header;
	memcpy(early->header, message->header, message->header_bytes);
	STAILQ_INSERT_TAIL(&service->early.queue, early, link);
	piece = (struct iovec){ early->payload, bytes };
	if (bytes)
		stn_transport_take(service->node->transport, message, &piece, 1,
				   early_landed, early);
	else
		early->landed = true;
}

static void
early_drop(struct stn_early *early)
{
	STAILQ_REMOVE(&early->service->early.queue, early, stn_early, link);
	free(early);
}

/* Handles the message. Returns whether it has changed anything. */
static bool
early_handle(struct stn_early *early)
{
	struct stn_parts_service *service = early->service;

	if (!early->landed)
		return false;
	if (early->lost) {
		early_drop(early);
		return false;
	}
	service->early.now = early;
	service->early.again = false;
	if (service->handle(service, &early->message))
		stn_node_fail(
			service->node,
			"a message of kind %u about an array is malformed",
			early->message.kind);
	service->early.now = NULL;
	if (service->early.again)
		return false;
	early_drop(early);
	return true;
}

void
stn_early_retry(struct stn_parts_service *service)
{
	struct stn_early *early = STAILQ_FIRST(&service->early.queue);

	if (service->early.retrying)
		return;
	service->early.retrying = true;
	while (early) {
		struct stn_early *next = STAILQ_NEXT(early, link);

		/* A message that was handled may help those before it. */
		if (early_handle(early))
			next = STAILQ_FIRST(&service->early.queue);
		early = next;
	}
	service->early.retrying = false;
}

void
stn_early_take(struct stn_parts_service *service,
	       const struct stn_message *message, const struct iovec *pieces,
	       size_t count, stn_done *done, void *arg)
{
	const unsigned char *from;

	if (!service->early.now) {
		stn_transport_take(service->node->transport, message, pieces,
				   count, done, arg);
		return;
	}
	from = service->early.now->payload;
	for (size_t i = 0; i < count && pieces[i].iov_base; i++) {
		memcpy(pieces[i].iov_base, from, pieces[i].iov_len);
		from += pieces[i].iov_len;
	}
	done(arg, STN_OK);
}

void
stn_early_refuse(struct stn_parts_service *service,
		 const struct stn_message *message)
{
	if (!service->early.now && message->from != service->node->rank)
		stn_transport_refuse(service->node->transport, message);
}

bool
stn_early_has(const struct stn_parts_service *service, uint8_t kind)
{
	const struct stn_early *early;

	STAILQ_FOREACH(early, &service->early.queue, link)
	if (early->message.kind == kind)
		return true;
	return false;
}

void
stn_early_fini(struct stn_parts_service *service)
{
	while (!STAILQ_EMPTY(&service->early.queue))
		early_drop(STAILQ_FIRST(&service->early.queue));
}
