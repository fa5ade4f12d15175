#include "node/dispatch.h"

#include <inttypes.h>

#include "node/membership.h"
#include "node/stats/message_log.h"

static void
count(struct stn_mail *mail, uint64_t bytes)
{
	mail->messages++;
	mail->bytes += bytes;
}

static struct stn_mails_kind *
mails_of(struct stn_node *node, uint8_t kind)
{
	struct stn_mails_kind *mails = stn_mails_of(&node->mails, kind);

	if (!mails)
		stn_node_fail(node, "out of memory");
	return mails;
}

void
stn_node_send(struct stn_node *node, uint32_t to, uint8_t kind,
	      const void *header, size_t header_bytes,
	      const struct iovec *pieces, size_t piece_count, stn_done *done,
	      void *arg)
{
	uint64_t bytes = header_bytes;

	for (size_t i = 0; i < piece_count; i++)
		bytes += pieces[i].iov_len;
	count(&mails_of(node, kind)->sent[stn_node_is_wide(node, to)], bytes);
	if (node->message_log)
		stn_message_log(node->message_log, stn_node_now(node), "send",
				stn_node_kind(node, kind), to, header);
	stn_transport_send(node->transport, to, kind, header, header_bytes,
			   pieces, piece_count, done, arg);
}

void
stn_node_say(struct stn_node *node, uint32_t to, uint8_t kind,
	     const void *header, size_t header_bytes)
{
	stn_node_send(node, to, kind, header, header_bytes, NULL, 0, NULL,
		      NULL);
}

static _Noreturn void
fail_malformed(struct stn_node *node, const struct stn_message *message)
{
	stn_node_fail(node,
		      "node %" PRIu32 " sent a malformed message of kind %u",
		      message->from, message->kind);
}

/* The number of a header that is too short is not read; handle refuses it. */
static void
log_taken(struct stn_node *node, const struct stn_message *message)
{
	const struct stn_kind *kind = stn_node_kind(node, message->kind);
	bool there =
		message->header_bytes >= kind->number_at + sizeof(uint32_t);

	stn_message_log(node->message_log, stn_node_now(node), "take", kind,
			message->from, there ? message->header : NULL);
}

static void
dispatch(struct stn_node *node, const struct stn_message *message)
{
	uint8_t kind = message->kind, number;

	if (kind >= STN_KINDS_MOST || !node->service_of[kind])
		fail_malformed(node, message);
	count(&mails_of(node, kind)
		       ->received[stn_node_is_wide(node, message->from)],
	      message->header_bytes + message->payload_bytes);
	if (node->message_log)
		log_taken(node, message);
	number = node->service_of[kind] - 1;
	if (node->services[number]->handle(node->states[number], message))
		fail_malformed(node, message);
}

void
stn_dispatch(void *arg, const struct stn_message *message)
{
	struct stn_node *node = arg;
	uint64_t begin;

	if (!node->config->stats.wanted) {
		dispatch(node, message);
		return;
	}
	begin = stn_node_now(node);
	dispatch(node, message);
	node->answering_ns += stn_node_now(node) - begin;
}

/*
 * At the end of the run nodes leave one after the other, so peer events are
 * ignored then. In a run that survives deaths the host decides that: other
 * nodes may still wait for this one's view of a death.
 */
void
stn_dispatch_peer(void *arg, uint32_t rank, enum stn_peer_state state,
		  const char *how)
{
	struct stn_node *node = arg;

	if (state == STN_PEER_DEAD &&
	    (!node->stopping || node->start.host.suspect))
		stn_membership_miss(node, rank, how);
}
