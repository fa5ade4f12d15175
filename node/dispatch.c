#include "node/dispatch.h"

#include <inttypes.h>

#include "node/membership.h"
#include "node/stats/message_log.h"
#include "node/trace/event.h"

static void
count(struct stn_mail *mail, uint64_t bytes)
{
	mail->messages++;
	mail->bytes += bytes;
}

/* The counts of messages of a kind to or from node @other. */
static struct stn_mails_kind *
mails_of(struct stn_node *node, uint8_t kind, uint32_t other)
{
	struct stn_mails_kind *mails =
		stn_mails_of(&node->mails, kind, stn_node_is_wide(node, other));

	if (!mails)
		stn_node_fail(node, "out of memory");
	return mails;
}

/*
 * Logs a message. Returns its event without the end. The number is read now
 * because the handler may free the header.
 */
static struct stn_trace_event
note(struct stn_node *node, bool send, uint8_t kind, uint32_t other,
     const void *header, size_t header_bytes)
{
	const struct stn_kind *row = stn_node_kind(node, kind);
	struct stn_trace_event event = {
		.begin_ns = stn_node_now(node),
		.number = stn_kind_number(row, header, header_bytes),
		.other = other,
		.thread = STN_TRACE_NET,
		.kind = send ? STN_TRACE_SEND : STN_TRACE_TAKE,
		.message = kind,
	};

	if (node->message_log)
		stn_message_log(node->message_log, event.begin_ns,
				send ? "send" : "take", row, other,
				event.number);
	return event;
}

static void
trace(struct stn_node *node, struct stn_trace_event *event, uint64_t bytes)
{
	if (!node->trace)
		return;
	event->end_ns = stn_node_now(node);
	event->bytes = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
	stn_trace_put(node->trace, event);
}

static bool
is_noted(const struct stn_node *node)
{
	return node->message_log || node->trace;
}

void
stn_node_send(struct stn_node *node, uint32_t to, uint8_t kind,
	      const void *header, size_t header_bytes,
	      const struct iovec *pieces, size_t piece_count, stn_done *done,
	      void *arg)
{
	struct stn_trace_event event = { .kind = 0 };
	uint64_t bytes = header_bytes;

	for (size_t i = 0; i < piece_count; i++)
		bytes += pieces[i].iov_len;
	count(&mails_of(node, kind, to)->sent, bytes);
	if (is_noted(node))
		event = note(node, true, kind, to, header, header_bytes);
	stn_transport_send(node->transport, to, kind, header, header_bytes,
			   pieces, piece_count, done, arg);
	trace(node, &event, bytes);
}

void
stn_node_say(struct stn_node *node, uint32_t to, uint8_t kind,
	     const void *header, size_t header_bytes)
{
	stn_node_send(node, to, kind, header, header_bytes, NULL, 0, NULL,
		      NULL);
}

void
stn_node_must_arrive(struct stn_node *node, const char *what, enum stn_err err)
{
	if (!err || err == STN_CANCELLED || err == STN_LOST ||
	    err == STN_REFUSED)
		return;
	stn_node_fail(node, "%s was lost: %s%s", what, stn_err_text(err),
		      err == STN_NO_MEMORY ? "; if the fabric pins memory, "
					     "raise `ulimit -l`"
					   : "");
}

static _Noreturn void
fail_malformed(struct stn_node *node, const struct stn_message *message)
{
	stn_node_fail(node,
		      "node %" PRIu32 " sent a malformed message of kind %u",
		      message->from, message->kind);
}

static void
dispatch(struct stn_node *node, const struct stn_message *message)
{
	size_t bytes = message->header_bytes + message->payload_bytes;
	struct stn_trace_event event = { .kind = 0 };
	uint8_t kind = message->kind, number;

	if (kind >= STN_KINDS_MOST || !node->service_of[kind] ||
	    message->payload_bytes > STN_PAYLOAD_BYTES)
		fail_malformed(node, message);
	count(&mails_of(node, kind, message->from)->received, bytes);
	if (is_noted(node))
		event = note(node, false, kind, message->from, message->header,
			     message->header_bytes);
	number = node->service_of[kind] - 1;
	if (node->services[number]->handle(node->states[number], message))
		fail_malformed(node, message);
	trace(node, &event, bytes);
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
