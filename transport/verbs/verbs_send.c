/*
 * verbs_send.c: what leaves. A packet is posted inline, or by a buffer; if its
 * peer is not connected yet, or there is no room, it waits in the peer's
 * backlog.
 */
#include <stdlib.h>
#include <string.h>

#include "transport/pieces.h"
#include "transport/verbs/verbs.h"

/* A letter that waits for room, or for a connection. */
struct waiting {
	struct verbs_op op;
	struct verbs_letter letter;
	stn_done *done;
	void *arg;
	unsigned char header[STN_HEADER_BYTES];
	unsigned char block[sizeof(struct stn_offer_block)];
	struct iovec pieces[];
};

/*
 * What was sent wakes nobody when it has left, unless something waits for
 * that. Who sleeps may have armed before: so it is asked for at once. (Reads
 * begin in handlers, and so after an arrival, which wakes in any case.)
 */
static void
expect_sends(struct verbs *verbs)
{
	if (!verbs->sends.armed && !ibv_req_notify_cq(verbs->sends.cq, 0))
		verbs->sends.armed = true;
}

void
verbs_attend(struct verbs *verbs, struct verbs_peer *peer)
{
	if (peer->attended)
		return;
	peer->attended = true;
	peer->next_attended = verbs->attended;
	verbs->attended = peer;
}

static void
backlog_put(struct verbs *verbs, struct verbs_op *op)
{
	struct verbs_peer *peer = &verbs->peers[op->to];

	op->next = NULL;
	*peer->last_waiting = op;
	peer->last_waiting = &op->next;
	verbs_attend(verbs, peer);
	if (!verbs_is_open(peer))
		verbs_join(verbs, peer);
	else
		expect_sends(verbs);
}

static struct verbs_op *
backlog_take(struct verbs_peer *peer)
{
	struct verbs_op *op = peer->first_waiting;

	if (!op)
		return NULL;
	peer->first_waiting = op->next;
	if (!peer->first_waiting)
		peer->last_waiting = &peer->first_waiting;
	return op;
}

static void
backlog_return(struct verbs_peer *peer, struct verbs_op *op)
{
	op->next = peer->first_waiting;
	peer->first_waiting = op;
	if (!op->next)
		peer->last_waiting = &op->next;
}

/* Posts what waits for this peer, as far as there is room. */
static unsigned
backlog_retry(struct verbs *verbs, struct verbs_peer *peer)
{
	struct verbs_op *op;
	unsigned did = 0;

	while ((op = backlog_take(peer))) {
		if (!op->post(verbs, op)) {
			backlog_return(peer, op);
			expect_sends(verbs);
			break;
		}
		did++;
	}
	return did;
}

/* Those who still connect, or wait, stay listed. */
unsigned
verbs_look_after(struct verbs *verbs)
{
	struct verbs_peer *peer = verbs->attended, *next;
	unsigned did = 0;

	verbs->attended = NULL;
	for (; peer; peer = next) {
		next = peer->next_attended;
		if (verbs_is_open(peer))
			did += backlog_retry(verbs, peer);
		else if (!peer->dead && !peer->broken)
			verbs_join(verbs, peer);
		peer->attended = false;
		if (peer->first_waiting || verbs_joining(peer))
			verbs_attend(verbs, peer);
	}
	return did;
}

/* Why nothing can be started with this peer; STN_OK if something can. */
static enum stn_err
out_of_reach(const struct verbs *verbs, uint32_t to)
{
	if (verbs->closing)
		return STN_CANCELLED;
	return verbs->peers[to].dead ? STN_LOST : STN_OK;
}

void
verbs_submit(struct verbs *verbs, struct verbs_op *op)
{
	enum stn_err err = out_of_reach(verbs, op->to);

	if (err)
		op->ended(verbs, op, err);
	else if (verbs->peers[op->to].first_waiting || !op->post(verbs, op))
		backlog_put(verbs, op);
}

static bool
has_room(const struct verbs *verbs, const struct verbs_peer *peer)
{
	return verbs_is_open(peer) &&
	       peer->posted - peer->completed < verbs->depth;
}

/*
 * All work is signalled: a close must know whether it has left, and who looks
 * for room, how much there is. A post that fails leaves the connection of no
 * use: the work ends with that.
 */
bool
verbs_post_work(struct verbs *verbs, uint32_t to, struct ibv_send_wr *work,
		struct verbs_op *op)
{
	struct verbs_peer *peer = &verbs->peers[to];
	struct ibv_send_wr *bad;

	if (!has_room(verbs, peer))
		return false;
	work->wr_id = to;
	work->send_flags |= IBV_SEND_SIGNALED;
	peer->flights[peer->posted++ % verbs->depth] = op;
	if (ibv_post_send(peer->pair, work, &bad))
		verbs_broken(verbs, peer, "its connection takes no more");
	return true;
}

/* The entries of a gather list that has gathered so far. */
struct gathering {
	struct ibv_sge entries[VERBS_PIECES];
	size_t count, room;
	bool full;
};

static void
gather(struct gathering *gathering, const void *at, size_t bytes)
{
	if (!bytes)
		return;
	if (gathering->count == gathering->room) {
		gathering->full = true;
		return;
	}
	gathering->entries[gathering->count++] = (struct ibv_sge){
		.addr = (uintptr_t)at,
		.length = (uint32_t)bytes,
	};
}

static size_t
letter_bytes(const struct verbs_letter *letter)
{
	return sizeof(letter->packet) + letter->packet.header_bytes +
	       letter->block_bytes +
	       stn_pieces_bytes(letter->pieces, letter->count);
}

/* As it lies; the processor writes it into the queue. */
static bool
post_inline(struct verbs *verbs, uint32_t to, const struct verbs_letter *letter,
	    bool *fits_p)
{
	struct gathering gathering = { .room = verbs->gathered };
	struct ibv_send_wr work = {
		.sg_list = gathering.entries,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_INLINE,
	};

	*fits_p = letter_bytes(letter) <= verbs->inline_bytes;
	if (!*fits_p)
		return false;
	gather(&gathering, &letter->packet, sizeof(letter->packet));
	gather(&gathering, letter->header, letter->packet.header_bytes);
	gather(&gathering, letter->block, letter->block_bytes);
	for (size_t i = 0; i < letter->count; i++)
		gather(&gathering, letter->pieces[i].iov_base,
		       letter->pieces[i].iov_len);
	work.num_sge = (int)gathering.count;
	*fits_p = !gathering.full;
	return *fits_p && verbs_post_work(verbs, to, &work, NULL);
}

/* Appends, where there may be nothing to append. */
static unsigned char *
append(unsigned char *at, const void *bytes, size_t size)
{
	return size ? mempcpy(at, bytes, size) : at;
}

static void
bounce_ended(struct verbs *verbs, struct verbs_op *op, enum stn_err err)
{
	(void)err;
	op->next = verbs->free_bounces;
	verbs->free_bounces = op;
}

static size_t
copy_letter(struct verbs *verbs, unsigned char *to,
	    const struct verbs_letter *letter)
{
	size_t payload = stn_pieces_bytes(letter->pieces, letter->count);
	unsigned char *at = to;

	at = append(at, &letter->packet, sizeof(letter->packet));
	at = append(at, letter->header, letter->packet.header_bytes);
	at = append(at, letter->block, letter->block_bytes);
	stn_pieces_copy(&(struct iovec){ at, payload }, letter->pieces,
			payload);
	verbs->base.traffic.bytes_copied +=
		letter->packet.header_bytes + payload;
	return (size_t)(at - to) + payload;
}

/*
 * By a buffer. To register the application's memory for so little would cost
 * more than the copy; to keep it registered would be wrong as soon as the
 * application frees it and other memory comes to lie there.
 */
static bool
post_bounced(struct verbs *verbs, uint32_t to,
	     const struct verbs_letter *letter)
{
	struct verbs_op *op = verbs->free_bounces;
	struct verbs_bounce *bounce = (struct verbs_bounce *)op;
	struct ibv_sge entry = { .lkey = verbs->region->lkey };
	struct ibv_send_wr work = {
		.sg_list = &entry,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
	};

	if (!op || !has_room(verbs, &verbs->peers[to]))
		return false;
	verbs->free_bounces = op->next;
	entry.addr = (uintptr_t)bounce->bytes;
	entry.length = (uint32_t)copy_letter(verbs, bounce->bytes, letter);
	op->ended = bounce_ended;
	return verbs_post_work(verbs, to, &work, op);
}

/* When it is posted, nothing of the sender's is needed any more. */
static bool
post_letter(struct verbs *verbs, uint32_t to, const struct verbs_letter *letter)
{
	bool fits;

	return post_inline(verbs, to, letter, &fits) ||
	       (!fits && post_bounced(verbs, to, letter));
}

static void
waiting_ended(struct verbs *verbs, struct verbs_op *op, enum stn_err err)
{
	struct waiting *waiting = (struct waiting *)op;

	(void)verbs;
	if (waiting->done)
		waiting->done(waiting->arg, err);
	free(waiting);
}

static bool
waiting_post(struct verbs *verbs, struct verbs_op *op)
{
	if (!post_letter(verbs, op->to, &((struct waiting *)op)->letter))
		return false;
	waiting_ended(verbs, op, STN_OK);
	return true;
}

static void
wait_in_line(struct verbs *verbs, uint32_t to,
	     const struct verbs_letter *letter, stn_done *done, void *arg)
{
	struct waiting *waiting = calloc(
		1, sizeof(*waiting) + letter->count * sizeof(struct iovec));

	if (!waiting)
		abort();
	waiting->op =
		(struct verbs_op){ waiting_post, waiting_ended, NULL, to };
	waiting->letter = *letter;
	waiting->done = done;
	waiting->arg = arg;
	if (!done) {
		append(waiting->header, letter->header,
		       letter->packet.header_bytes);
		waiting->letter.header = waiting->header;
		verbs->base.traffic.bytes_copied += letter->packet.header_bytes;
	}
	append(waiting->block, letter->block, letter->block_bytes);
	waiting->letter.block = waiting->block;
	append((unsigned char *)waiting->pieces, letter->pieces,
	       letter->count * sizeof(struct iovec));
	waiting->letter.pieces = waiting->pieces;
	backlog_put(verbs, &waiting->op);
}

void
verbs_send_letter(struct verbs *verbs, uint32_t to,
		  const struct verbs_letter *letter, stn_done *done, void *arg)
{
	enum stn_err err = out_of_reach(verbs, to);

	if (!err &&
	    (verbs->peers[to].first_waiting || !post_letter(verbs, to, letter)))
		wait_in_line(verbs, to, letter, done, arg);
	else if (done)
		done(arg, err);
}

void
verbs_send(struct stn_transport *transport, uint32_t to, uint8_t kind,
	   const void *header, size_t header_bytes, const struct iovec *pieces,
	   size_t count, stn_done *done, void *arg)
{
	struct verbs *verbs = verbs_of(transport);
	size_t payload = stn_pieces_bytes(pieces, count);
	struct verbs_letter letter = {
		.packet = stn_packet_make(verbs->opening.rank, STN_PACKET_EAGER,
					  kind, header_bytes, payload),
		.header = header,
		.pieces = pieces,
		.count = payload ? count : 0,
	};

	verbs_send_letter(verbs, to, &letter, done, arg);
}

/* First the connection: after that nobody reads or writes the memory. */
void
verbs_release(struct verbs *verbs, struct verbs_peer *peer, enum stn_err err)
{
	struct verbs_op *op;

	verbs_disjoin(verbs, peer);
	for (; peer->completed != peer->posted; peer->completed++) {
		op = peer->flights[peer->completed % verbs->depth];
		if (op)
			op->ended(verbs, op, err);
	}
	free(peer->flights);
	peer->flights = NULL;
	while ((op = backlog_take(peer)))
		op->ended(verbs, op, err);
}
