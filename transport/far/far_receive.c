/*
 * far_receive.c: receives from the gateway. Segments are read into a buffer and
 * parsed there. The rest of a PART whose destination is known is read from the
 * socket into that destination.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "transport/pieces.h"
#include "transport/far/far.h"
#include "transport/far/far_send.h"

#define READS 16 /* from one connection, before the others have a turn */

static struct far_pull *
find_pull(struct far *far, uint32_t from, uint32_t operation)
{
	struct far_pull *pull;

	LIST_FOREACH (pull, &far->pulls, link)
		if (pull->from == from && pull->operation == operation)
			break;
	return pull;
}

/* @bytes bytes of the payload have arrived. */
static void
far_receive_advance(struct far_pull *pull, size_t bytes)
{
	pull->left -= bytes;
	while (bytes) {
		size_t less =
			bytes < pull->at->iov_len ? bytes : pull->at->iov_len;

		pull->at->iov_base = (char *)pull->at->iov_base + less;
		pull->at->iov_len -= less;
		bytes -= less;
		if (!pull->at->iov_len) {
			pull->at++;
			pull->count--;
		}
	}
}

static void
far_receive_end_pull(struct far_pull *pull, enum stn_err err)
{
	LIST_REMOVE(pull, link);
	pull->done(pull->arg, err);
	free(pull);
}

static unsigned
end_if_whole(struct far *far, struct far_pull *pull)
{
	if (pull->left)
		return 0;
	far_send_control(far, pull->from, STN_SEGMENT_END, 0, pull->operation);
	far_receive_end_pull(pull, STN_OK);
	return 1;
}

/*
 * @bytes bytes of the current PART have arrived. Returns how many pulls ended.
 */
static unsigned
part_came(struct far *far, struct far_connection *connection, size_t bytes)
{
	struct far_pull *pull = connection->part;

	connection->part_left -= bytes;
	if (!connection->part_left)
		connection->part = NULL;
	if (!pull)
		return 0;
	far_receive_advance(pull, bytes);
	return end_if_whole(far, pull);
}

/*
 * Copies the buffered bytes of the current PART to their destination, or drops
 * them if there is none.
 */
static unsigned
far_receive_take_part(struct far *far, struct far_connection *connection)
{
	size_t bytes = connection->in_to - connection->in_from;
	const unsigned char *from = connection->in + connection->in_from;
	struct far_pull *pull = connection->part;

	if (bytes > connection->part_left)
		bytes = connection->part_left;
	connection->in_from += bytes;
	if (pull) {
		size_t left = bytes;

		for (size_t i = 0; left; i++) {
			size_t less = pull->at[i].iov_len < left
					      ? pull->at[i].iov_len
					      : left;

			if (less)
				memcpy(pull->at[i].iov_base, from, less);
			from += less;
			left -= less;
		}
		far->base.traffic.bytes_copied += bytes;
	}
	return part_came(far, connection, bytes);
}

/*
 * A message that can't be parsed is shown to the handler as one of kind 0,
 * which no node sends.
 */
static void
show_malformed(struct far *far, uint32_t from)
{
	struct far_arrival arrival = { .arrival.message.from = from };

	far->base.opening.handler(far->base.opening.arg,
				  &arrival.arrival.message);
}

static bool
show_message(struct far *far, const struct stn_segment *segment,
	     const unsigned char *data)
{
	struct stn_segment_message parsed;
	struct far_arrival arrival = { .operation = segment->operation };

	if (stn_segment_message_read(segment, data, &parsed))
		return false;
	arrival.arrival.payload = parsed.payload;
	arrival.arrival.message = (struct stn_message){
		.from = segment->from,
		.kind = parsed.kind,
		.header = parsed.header,
		.header_bytes = parsed.header_bytes,
		.payload_bytes = parsed.payload_bytes,
	};
	far->base.traffic.bytes_copied += parsed.header_bytes;
	far->base.opening.handler(far->base.opening.arg,
				  &arrival.arrival.message);
	if (segment->operation && !arrival.answered)
		far_refuse(&far->base, &arrival.arrival);
	return true;
}

/* Returns false if the segment is malformed. */
static bool
far_receive_handle(struct far *far, const struct stn_segment *segment,
		   const unsigned char *data)
{
	struct far_pull *pull;

	switch (segment->type) {
	case STN_SEGMENT_MESSAGE:
		return show_message(far, segment, data);
	case STN_SEGMENT_STOP:
		pull = find_pull(far, segment->from, segment->operation);
		if (pull)
			far_receive_end_pull(pull, STN_LOST);
		return true;
	case STN_SEGMENT_END:
		far_offer_end(far, segment->from, segment->operation,
			      segment->flags & STN_SEGMENT_REFUSED ? STN_REFUSED
								   : STN_OK);
		return true;
	case STN_SEGMENT_LOST:
		stn_peers_lost(&far->base, segment->from,
			       "its gateway has lost the connection to it");
		return true;
	}
	return false;
}

/*
 * A gateway sends only segments for this node, from nodes of the connection's
 * cluster.
 */
static bool
far_receive_is_ours(const struct far *far,
		    const struct far_connection *connection,
		    const struct stn_segment *segment)
{
	const struct stn_topology *topology = far->base.opening.topology;

	return segment->from < topology->nodes &&
	       stn_cluster_of(topology, segment->from) == connection->cluster &&
	       segment->to == far->base.opening.rank &&
	       segment->type < STN_SEGMENT_TYPES;
}

static bool
begin_part(struct far *far, struct far_connection *connection,
	   const struct stn_segment *segment)
{
	struct far_pull *pull =
		find_pull(far, segment->from, segment->operation);

	if (pull && segment->bytes > pull->left)
		return false;
	connection->in_from += STN_SEGMENT_HEAD;
	connection->part_left = segment->bytes;
	connection->part = pull;
	return true;
}

static void
far_receive_malformed(struct far *far, struct far_connection *connection)
{
	show_malformed(far, stn_cluster_first(far->base.opening.topology,
					      connection->cluster));
	far_mark_lost(far, connection,
		      "its gateway has sent an invalid segment");
}

/*
 * Consumes one segment, or bytes of a PART; false if there is no complete one.
 */
static bool
take_one(struct far *far, struct far_connection *connection, unsigned *did)
{
	size_t there = connection->in_to - connection->in_from;
	const unsigned char *at = connection->in + connection->in_from;
	struct stn_segment segment;
	size_t bytes;

	if (connection->part_left && there) {
		*did += far_receive_take_part(far, connection);
		return true;
	}
	if (there < STN_SEGMENT_HEAD)
		return false;
	if (stn_segment_read(at, &segment) ||
	    !far_receive_is_ours(far, connection, &segment)) {
		far_receive_malformed(far, connection);
		return false;
	}
	if (segment.type == STN_SEGMENT_PART) {
		if (begin_part(far, connection, &segment))
			return true;
		far_receive_malformed(far, connection);
		return false;
	}
	bytes = STN_SEGMENT_HEAD + segment.bytes;
	if (there < bytes)
		return false;
	++*did;
	if (!far_receive_handle(far, &segment, at + STN_SEGMENT_HEAD)) {
		far_receive_malformed(far, connection);
		return false;
	}
	connection->in_from += bytes;
	return true;
}

static unsigned
take_apart(struct far *far, struct far_connection *connection)
{
	unsigned did = 0;

	while (!connection->lost && take_one(far, connection, &did))
		continue;
	if (connection->in_from) {
		connection->in_to -= connection->in_from;
		memmove(connection->in, connection->in + connection->in_from,
			connection->in_to);
		connection->in_from = 0;
	}
	return did;
}

/* Where to read to: the destination of the current PART, then the buffer. */
static size_t
aim(const struct far_connection *connection, struct iovec *to, size_t *direct_p)
{
	const struct far_pull *pull =
		connection->in_to ? NULL : connection->part;
	size_t count = 0, direct = 0, room = FAR_IN_BYTES - connection->in_to;

	while (pull && count < FAR_PART_PIECES &&
	       direct < connection->part_left) {
		to[count] = pull->at[count];
		if (to[count].iov_len > connection->part_left - direct)
			to[count].iov_len = connection->part_left - direct;
		direct += to[count++].iov_len;
	}
	*direct_p = direct;
	/*
	 * If more of this payload is to come, reads only the next head into the
	 * buffer, so that the next PART also goes straight to its destination.
	 */
	if (direct && direct < pull->left)
		room = STN_SEGMENT_HEAD;
	if (!direct || direct == connection->part_left)
		to[count++] =
			(struct iovec){ connection->in + connection->in_to,
					room };
	return count;
}

/* Returns false if there is no more to read. */
static bool
far_receive_read_some(struct far *far, struct far_connection *connection,
		      unsigned *did)
{
	struct iovec to[FAR_PART_PIECES + 1];
	size_t direct, count = aim(connection, to, &direct);
	size_t room = stn_pieces_bytes(to, count);
	ssize_t got = readv(connection->fd, to, (int)count);
	bool more = got == (ssize_t)room;

	if (got <= 0) {
		if (!got || (errno != EAGAIN && errno != EINTR))
			far_mark_lost(far, connection, "its gateway is gone");
		return false;
	}
	if ((size_t)got < direct)
		direct = (size_t)got;
	connection->in_to += (size_t)got - direct;
	if (direct)
		*did += part_came(far, connection, direct);
	return more;
}

unsigned
far_receive(struct far *far, struct far_connection *connection)
{
	unsigned did = 0;
	bool more = true;

	for (unsigned i = 0; i < READS && more && !connection->lost; i++) {
		more = far_receive_read_some(far, connection, &did);
		did += take_apart(far, connection);
	}
	return did;
}

void
far_pull(struct stn_transport *transport, const struct stn_arrival *arrival,
	 const struct iovec *pieces, size_t count, stn_done *done, void *arg)
{
	struct far *far = far_of(transport);
	struct far_arrival *far_arrival = (struct far_arrival *)arrival;
	struct far_pull *pull;

	far_arrival->answered = true;
	pull = stn_or_abort(
		calloc(1, sizeof(*pull) + count * sizeof(pieces[0])));
	pull->from = arrival->message.from;
	pull->operation = far_arrival->operation;
	pull->done = done;
	pull->arg = arg;
	pull->left = arrival->message.payload_bytes;
	pull->count = count;
	memcpy(pull->pieces, pieces, count * sizeof(pieces[0]));
	pull->at = pull->pieces;
	LIST_INSERT_HEAD(&far->pulls, pull, link);
}

void
far_refuse(struct stn_transport *transport, const struct stn_arrival *arrival)
{
	struct far_arrival *far_arrival = (struct far_arrival *)arrival;

	far_arrival->answered = true;
	far_send_control(far_of(transport), arrival->message.from,
			 STN_SEGMENT_END, STN_SEGMENT_REFUSED,
			 far_arrival->operation);
}

void
far_end_pulls(struct far *far, struct far_connection *connection, uint32_t rank,
	      enum stn_err err)
{
	struct far_pull *pull = LIST_FIRST(&far->pulls);

	while (pull) {
		if (far_connection_to(far, pull->from) != connection ||
		    (pull->from != rank && rank != FAR_ALL)) {
			pull = LIST_NEXT(pull, link);
			continue;
		}
		if (connection->part == pull)
			connection->part = NULL;
		far_receive_end_pull(pull, err);
		/* The callback may have changed the list. */
		pull = LIST_FIRST(&far->pulls);
	}
}
