/*
 * verbs.c: what arrives, and what has left; sleeping.
 */
#include "transport/peers.h"
#include "transport/verbs/verbs.h"

/* Asks for a wake, and looks whether it would come too late. */
static bool
queue_arm(struct verbs_queue *queue)
{
	if (!queue->armed && ibv_req_notify_cq(queue->cq, 0))
		return true;
	queue->armed = true;
	if (!queue->has_early)
		queue->has_early = ibv_poll_cq(queue->cq, 1, &queue->early) > 0;
	return queue->has_early;
}

static int
queue_poll(struct verbs_queue *queue, struct ibv_wc *completions)
{
	int got = 0;

	if (queue->has_early) {
		completions[got++] = queue->early;
		queue->has_early = false;
	}
	got += ibv_poll_cq(queue->cq, VERBS_BATCH - got, completions + got);
	return got;
}

void
verbs_malformed(struct verbs *verbs, uint32_t from)
{
	struct stn_arrival arrival = { .message.from = from };

	verbs->opening.handler(verbs->opening.arg, &arrival.message);
}

/*
 * A message must come over the connection with the node that it says. (From a
 * dead node some may come when that has ended; they are not delivered.)
 */
static bool
is_from(const struct verbs *verbs, uint32_t from, uint32_t number)
{
	const struct verbs_peer *peer = &verbs->peers[from];

	return peer->pair && peer->pair->qp_num == number;
}

static void
handle(struct verbs *verbs, const unsigned char *bytes, size_t size,
       uint32_t pair)
{
	struct stn_parsed parsed;
	struct verbs_arrival arrival;
	const struct stn_packet *packet = &parsed.packet;
	enum stn_err err = stn_packet_parse(
		bytes, size, verbs->opening.topology->nodes, &parsed);

	if (!err && verbs->peers[packet->from].dead)
		return;
	if (err || !is_from(verbs, packet->from, pair)) {
		verbs_malformed(verbs, packet->from);
		return;
	}
	if (packet->type == STN_PACKET_DONE) {
		if (!stn_offers_end(&verbs->offers, packet->from,
				    parsed.done.token,
				    parsed.done.status ? STN_REFUSED : STN_OK))
			verbs_malformed(verbs, packet->from);
		return;
	}
	arrival.arrival.message = (struct stn_message){
		.from = packet->from,
		.kind = packet->kind,
		.header = parsed.header,
		.header_bytes = packet->header_bytes,
		.payload_bytes = packet->payload_bytes,
	};
	arrival.arrival.payload = NULL;
	if (packet->type == STN_PACKET_EAGER)
		arrival.arrival.payload = parsed.payload;
	else
		arrival.offer = parsed.offer;
	verbs->opening.handler(verbs->opening.arg, &arrival.arrival.message);
}

/* A message that didn't fit its buffer ends the connection it came over. */
static void
receive_failed(struct verbs *verbs, const struct ibv_wc *completion)
{
	for (uint32_t i = 0; i < verbs->opening.topology->nodes; i++) {
		if (!is_from(verbs, i, completion->qp_num))
			continue;
		if (completion->status == IBV_WC_LOC_LEN_ERR)
			verbs_malformed(verbs, i);
		verbs_broken(verbs, &verbs->peers[i], "its connection broke");
	}
}

static void
received(struct verbs *verbs, const struct ibv_wc *completion)
{
	if (completion->status)
		receive_failed(verbs, completion);
	else
		handle(verbs,
		       verbs->memory + completion->wr_id * VERBS_BUFFER_BYTES,
		       completion->byte_len, completion->qp_num);
}

int
verbs_post_receives(struct verbs *verbs, const uint32_t *buffers, size_t count)
{
	struct ibv_recv_wr work[VERBS_BATCH], *bad;
	struct ibv_sge entries[VERBS_BATCH];

	if (!count)
		return 0;
	for (size_t i = 0; i < count; i++) {
		entries[i] = (struct ibv_sge){
			.addr = (uintptr_t)verbs->memory +
				(uintptr_t)buffers[i] * VERBS_BUFFER_BYTES,
			.length = VERBS_WIRE_BYTES,
			.lkey = verbs->region->lkey,
		};
		work[i] = (struct ibv_recv_wr){
			.wr_id = buffers[i],
			.next = i + 1 < count ? &work[i + 1] : NULL,
			.sg_list = &entries[i],
			.num_sge = 1,
		};
	}
	return ibv_post_srq_recv(verbs->receives, work, &bad);
}

static unsigned
poll_arrivals(struct verbs *verbs)
{
	struct ibv_wc completions[VERBS_BATCH];
	uint32_t buffers[VERBS_BATCH];
	int got = queue_poll(&verbs->arrivals, completions);
	size_t count = 0;

	for (int i = 0; i < got; i++) {
		if (completions[i].wr_id & VERBS_GREETER) {
			verbs_heard(verbs, &completions[i]);
			continue;
		}
		received(verbs, &completions[i]);
		buffers[count++] = (uint32_t)completions[i].wr_id;
	}
	verbs_post_receives(verbs, buffers, count);
	return (unsigned)got;
}

void
verbs_broken(struct verbs *verbs, struct verbs_peer *peer, const char *how)
{
	if (peer->broken || peer->dead)
		return;
	peer->broken = true;
	stn_peers_lost(&verbs->base, verbs_rank(verbs, peer), how);
}

static const char *
explain(enum ibv_wc_status status)
{
	if (status == IBV_WC_RETRY_EXC_ERR ||
	    status == IBV_WC_RNR_RETRY_EXC_ERR)
		return "it no longer acknowledges what it is sent";
	if (status == IBV_WC_REM_ACCESS_ERR)
		return "it offered memory that can't be read";
	return "its connection broke";
}

/*
 * Work on one connection is completed in order. After the first that failed
 * the rest will: all of it ends when the peer is told to be dead.
 */
static void
sent(struct verbs *verbs, const struct ibv_wc *completion)
{
	struct verbs_peer *peer;
	struct verbs_op *op;

	if (completion->wr_id & VERBS_GREETER) {
		verbs->greetings++;
		return;
	}
	peer = &verbs->peers[completion->wr_id];
	if (!peer->pair)
		return; /* it came after its connection's end */
	if (completion->status) {
		verbs_broken(verbs, peer, explain(completion->status));
		return;
	}
	op = peer->flights[peer->completed++ % verbs->depth];
	if (op)
		op->ended(verbs, op, STN_OK);
}

static unsigned
poll_sends(struct verbs *verbs)
{
	struct ibv_wc completions[VERBS_BATCH];
	int got = queue_poll(&verbs->sends, completions);

	for (int i = 0; i < got; i++)
		sent(verbs, &completions[i]);
	return (unsigned)got;
}

unsigned
verbs_progress(struct stn_transport *transport)
{
	struct verbs *verbs = verbs_of(transport);
	unsigned did = poll_arrivals(verbs) + poll_sends(verbs);

	if (verbs->attended)
		did += verbs_look_after(verbs);
	return did;
}

void
verbs_peer_del(struct stn_transport *transport, uint32_t rank)
{
	struct verbs *verbs = verbs_of(transport);

	verbs->peers[rank].dead = true;
	verbs_release(verbs, &verbs->peers[rank], STN_LOST);
	stn_offers_lost(&verbs->offers, rank);
}

/* A queue makes the descriptor readable once, each time it is armed. */
static void
take_events(struct verbs *verbs)
{
	struct ibv_cq *cq;
	void *queue;

	while (!verbs->library.get_cq_event(verbs->channel, &cq, &queue)) {
		verbs->library.ack_cq_events(cq, 1);
		((struct verbs_queue *)queue)->armed = false;
	}
}

/* When the first connection under way is to be asked for again. */
static uint64_t
first_greeting(const struct verbs *verbs)
{
	uint64_t first = STN_FOREVER;

	for (const struct verbs_peer *peer = verbs->attended; peer;
	     peer = peer->next_attended)
		if (verbs_joining(peer) && peer->greet_ns < first)
			first = peer->greet_ns;
	return first;
}

bool
verbs_waits(const struct stn_transport *transport)
{
	const struct verbs *verbs = (const struct verbs *)transport;

	return first_greeting(verbs) != STN_FOREVER;
}

uint64_t
verbs_arm(struct stn_transport *transport)
{
	struct verbs *verbs = verbs_of(transport);
	uint64_t first, now;

	take_events(verbs);
	if (queue_arm(&verbs->arrivals))
		return STN_NOT_NOW;
	if ((verbs->reading || verbs->attended) && queue_arm(&verbs->sends))
		return STN_NOT_NOW;
	first = first_greeting(verbs);
	if (first == STN_FOREVER)
		return STN_FOREVER;
	now = stn_machine_now(transport);
	return first > now ? first - now : STN_NOT_NOW;
}
