#include "bench/fabric/ours.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "launch/meet.h"
#include "launch/plan/plan.h"

#define CLOSE_PATIENCE_NS (2 * STN_SECOND_NS)

/* Kinds of messages. */
enum { ORDER = 1, SWAP, PING, PONG, DATA, DRAINED };

struct ours {
	struct path base;	  /* complete after ours_path */
	struct stn_config config; /* the run's, completed by the plan */
	struct stn_plan plan;
	struct stn_transport *transport;
	uint32_t peer;
	struct ours_order order, sent_order;
	bool ordered, sleeps;
	/*
	 * Two, because the peer may send its next swap before this node has
	 * read the current one.
	 */
	struct swap {
		size_t bytes;
		unsigned char content[PATH_ADDRESS_BYTES];
	} swap[2];
	/* Events so far, and how many of them the callers have waited for. */
	uint64_t swaps, answered, answers, received, drained;
	uint64_t swaps_seen, answered_seen, answers_seen, received_seen,
		drained_seen;
	size_t under_way; /* sends that are not complete */
	size_t piece_count;
	struct iovec pieces[OURS_PIECES];
};

/* Called when a message has left or arrived. */
static void
check(struct ours *ours, enum stn_err err)
{
	if (err)
		path_fail(&ours->base, "%s", stn_err_text(err));
	path_advance(&ours->base);
}

/* Sleeps until the network has something, as a node's progress thread does. */
static void
sleep_on_network(struct ours *ours)
{
	uint64_t sleep_ns = stn_transport_arm(ours->transport);
	struct pollfd fd = { stn_transport_fd(ours->transport), POLLIN, 0 };
	struct timespec most;

	if (sleep_ns == STN_NOT_NOW)
		return;
	if (sleep_ns > STN_SECOND_NS)
		sleep_ns = STN_SECOND_NS; /* then path_look checks the time */
	most = (struct timespec){ (time_t)(sleep_ns / STN_SECOND_NS),
				  (long)(sleep_ns % STN_SECOND_NS) };
	ppoll(&fd, 1, &most, NULL);
	path_look(&ours->base);
}

static void
make_progress(struct ours *ours)
{
	if (stn_transport_progress(ours->transport))
		return;
	if (ours->sleeps)
		sleep_on_network(ours);
	else
		path_spin(&ours->base);
}

/* Waits until the count *@happened exceeds @seen. */
static void
await(struct ours *ours, const uint64_t *happened, uint64_t seen)
{
	while (*happened <= seen)
		make_progress(ours);
}

static void
sent(void *arg, enum stn_err err)
{
	struct ours *ours = arg;

	check(ours, err);
	ours->under_way--;
}

/*
 * A small message is sent as a header, as requests and grants are; a larger one
 * as a payload.
 */
static void
send_message(struct ours *ours, uint8_t kind, size_t bytes)
{
	size_t each = bytes / ours->piece_count, i;

	ours->under_way++;
	if (bytes <= STN_HEADER_BYTES) {
		stn_transport_send(ours->transport, ours->peer, kind,
				   ours->base.out, bytes, NULL, 0, sent, ours);
		return;
	}
	for (i = 0; i < ours->piece_count; i++)
		ours->pieces[i] =
			(struct iovec){ ours->base.out + i * each, each };
	ours->pieces[i - 1].iov_len += bytes % ours->piece_count;
	stn_transport_send(ours->transport, ours->peer, kind, NULL, 0,
			   ours->pieces, ours->piece_count, sent, ours);
}

static void
pinged(void *arg, enum stn_err err)
{
	struct ours *ours = arg;

	check(ours, err);
	send_message(ours, PONG, ours->order.bytes);
	ours->answered++;
}

static void
ponged(void *arg, enum stn_err err)
{
	struct ours *ours = arg;

	check(ours, err);
	ours->answers++;
}

static void
got_data(void *arg, enum stn_err err)
{
	struct ours *ours = arg;

	check(ours, err);
	ours->received++;
}

static void
got_swap(void *arg, enum stn_err err)
{
	struct ours *ours = arg;

	check(ours, err);
	ours->swaps++;
}

/* Puts a message into base.in, then calls @done. */
static void
take(struct ours *ours, const struct stn_message *message, stn_done *done)
{
	struct iovec all = { ours->base.in, message->payload_bytes };

	if (message->payload_bytes > ours->base.most)
		path_fail(&ours->base, "a message is larger than agreed");
	if (message->payload_bytes) {
		stn_transport_take(ours->transport, message, &all, 1, done,
				   ours);
		return;
	}
	memcpy(ours->base.in, message->header, message->header_bytes);
	done(ours, STN_OK);
}

static void
take_order(struct ours *ours, const struct stn_message *message)
{
	if (message->header_bytes != sizeof(ours->order))
		path_fail(&ours->base, "an order is malformed");
	memcpy(&ours->order, message->header, sizeof(ours->order));
	ours->ordered = true;
}

static void
take_swap(struct ours *ours, const struct stn_message *message)
{
	struct swap *swap = &ours->swap[ours->swaps % 2];
	struct iovec all = { swap->content, message->payload_bytes };

	if (message->payload_bytes > sizeof(swap->content))
		path_fail(&ours->base, "an address is too long");
	swap->bytes = message->payload_bytes;
	stn_transport_take(ours->transport, message, &all, 1, got_swap, ours);
}

static void
handle(void *arg, const struct stn_message *message)
{
	struct ours *ours = arg;

	switch (message->kind) {
	case PING:
		take(ours, message, pinged);
		break;
	case PONG:
		take(ours, message, ponged);
		break;
	case DATA:
		take(ours, message, got_data);
		break;
	case DRAINED:
		ours->drained++;
		break;
	case ORDER:
		take_order(ours, message);
		break;
	case SWAP:
		take_swap(ours, message);
		break;
	default:
		path_fail(&ours->base, "a message is malformed");
	}
}

static void
hear(void *arg, uint32_t rank, enum stn_peer_state state, const char *how)
{
	struct ours *ours = arg;

	if (state == STN_PEER_DEAD)
		path_fail(&ours->base, "node %u is dead: %s", rank, how);
}

static struct ours *
ours_of(struct path *path)
{
	return (struct ours *)path;
}

static void
ping(struct path *path, size_t bytes)
{
	struct ours *ours = ours_of(path);

	send_message(ours, PING, bytes);
	await(ours, &ours->answers, ours->answers_seen++);
}

static void
pong(struct path *path, size_t bytes)
{
	struct ours *ours = ours_of(path);

	(void)bytes; /* pinged, called by the handler, sends the answer */
	await(ours, &ours->answered, ours->answered_seen++);
}

static void
stream(struct path *path, size_t bytes, size_t count)
{
	struct ours *ours = ours_of(path);

	while (count--) {
		while (ours->under_way == PATH_WINDOW)
			make_progress(ours);
		send_message(ours, DATA, bytes);
	}
	await(ours, &ours->drained, ours->drained_seen++);
}

static void
drain(struct path *path, size_t bytes, size_t count)
{
	struct ours *ours = ours_of(path);

	(void)bytes;
	ours->received_seen += count;
	await(ours, &ours->received, ours->received_seen - 1);
	ours->under_way++;
	stn_transport_send(ours->transport, ours->peer, DRAINED, NULL, 0, NULL,
			   0, sent, ours);
}

static const struct path_ops ours_ops = {
	.name = "sateen",
	.messages = true,
	.payloads = true,
	.ping = ping,
	.pong = pong,
	.stream = stream,
	.drain = drain,
};

enum stn_err
ours_open(const struct stn_joined *joined, struct ours **ours_p,
	  struct stn_why *why)
{
	static const struct stn_table none; /* there are no tasks */
	struct ours *ours = calloc(1, sizeof(*ours));
	struct stn_opening opening;
	enum stn_err err;

	if (!ours)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	ours->base.ops = &ours_ops;
	ours->base.wireup = joined->wireup;
	ours->base.rank = joined->rank;
	ours->peer = !joined->rank;
	ours->piece_count = 1;
	ours->config = *joined->config;
	err = stn_plan_make(joined->wireup, joined->topology, joined->rank,
			    &ours->config, &ours->plan, why);
	if (!err) {
		opening = stn_meet_opening(&ours->config, joined->topology,
					   joined->rank);
		opening.handler = handle;
		opening.peer_event = hear;
		opening.arg = ours;
		err = stn_meet_open(&ours->config, ours->plan.local_rank, NULL,
				    &opening, &ours->transport, why);
	}
	if (!err)
		err = stn_meet(joined->wireup, joined->rank,
			       &none, ours->transport, why);
	if (err) {
		ours_close(ours);
		return err;
	}
	ours->base.relayed = stn_transport_limits(ours->transport)->relayed;
	stn_plan_print(&ours->plan);
	*ours_p = ours;
	return STN_OK;
}

void
ours_close(struct ours *ours)
{
	stn_transport_close(ours->transport, CLOSE_PATIENCE_NS);
	stn_plan_fini(&ours->plan);
	path_fini(&ours->base);
	free(ours);
}

const struct stn_config *
ours_config(const struct ours *ours)
{
	return &ours->config;
}

void
ours_pieces(struct ours *ours, size_t pieces)
{
	ours->piece_count = pieces;
}

void
ours_sleeps(struct ours *ours, bool sleeps)
{
	ours->sleeps = sleeps;
}

void
ours_order(struct ours *ours, struct ours_order order)
{
	ours->sent_order = order;
	ours->under_way++;
	stn_transport_send(ours->transport, ours->peer, ORDER,
			   &ours->sent_order, sizeof(order), NULL, 0, sent,
			   ours);
	while (ours->under_way)
		stn_transport_progress(ours->transport);
}

struct ours_order
ours_obey(struct ours *ours)
{
	while (!ours->ordered)
		stn_transport_progress(ours->transport);
	ours->ordered = false;
	return ours->order;
}

size_t
ours_swap(struct ours *ours, const void *mine, size_t bytes,
	  unsigned char theirs[PATH_ADDRESS_BYTES])
{
	const struct swap *swap = &ours->swap[ours->swaps_seen % 2];
	struct iovec all = { (void *)mine, bytes };

	path_begin(&ours->base);
	ours->under_way++;
	stn_transport_send(ours->transport, ours->peer, SWAP, NULL, 0, &all, 1,
			   sent, ours);
	await(ours, &ours->swaps, ours->swaps_seen++);
	while (ours->under_way)
		stn_transport_progress(ours->transport);
	memcpy(theirs, swap->content, swap->bytes);
	return swap->bytes;
}

enum stn_err
ours_path(struct ours *ours, size_t most, struct path **path_p,
	  struct stn_why *why)
{
	struct path_opening opening = {
		.rank = ours->base.rank,
		.wireup = ours->base.wireup,
		.most = most,
	};
	enum stn_err err;

	err = path_init(&ours->base, &ours_ops, &opening, why);
	if (!err)
		*path_p = &ours->base;
	return err;
}
