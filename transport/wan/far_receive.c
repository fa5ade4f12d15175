/*
 * far_receive.c: what comes from the gateway. Segments are read into a buffer
 * and taken apart there; but of a part whose place is known the rest is read
 * from the socket into that place.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "transport/pieces.h"
#include "transport/wan/far.h"

#define READS 16 /* before others have a turn */

static struct far_pull **
find_pull(struct far *far, uint32_t from, uint32_t operation)
{
	struct far_pull **at = &far->pulls;

	while (*at && ((*at)->from != from || (*at)->operation != operation))
		at = &(*at)->next;
	return at;
}

/* Some bytes of a payload have come to their place. */
static void
advance(struct far_pull *pull, size_t bytes)
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
end_pull(struct far_pull **at, enum stn_err err)
{
	struct far_pull *pull = *at;

	*at = pull->next;
	pull->done(pull->arg, err);
	free(pull);
}

static unsigned
end_if_whole(struct far *far, struct far_pull *pull)
{
	if (pull->left)
		return 0;
	far_tell(far, pull->from, STN_SEGMENT_END, 0, pull->operation);
	end_pull(find_pull(far, pull->from, pull->operation), STN_OK);
	return 1;
}

/* So many bytes of the part that is coming in have come to their place. */
static unsigned
part_came(struct far *far, struct far_road *road, size_t bytes)
{
	struct far_pull *pull = road->part;

	road->part_left -= bytes;
	if (!road->part_left)
		road->part = NULL;
	if (!pull)
		return 0;
	advance(pull, bytes);
	return end_if_whole(far, pull);
}

/* Copies what the buffer has of a part to where it belongs, or nowhere. */
static unsigned
take_part(struct far *far, struct far_road *road)
{
	size_t bytes = road->in_to - road->in_from;
	const unsigned char *from = road->in + road->in_from;
	struct far_pull *pull = road->part;

	if (bytes > road->part_left)
		bytes = road->part_left;
	road->in_from += bytes;
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
	return part_came(far, road, bytes);
}

/* What can't be parsed is shown as a message of kind 0, which nobody sends. */
static void
show_malformed(struct far *far, uint32_t from)
{
	struct far_arrival arrival = { .arrival.message.from = from };

	far->opening.handler(far->opening.arg, &arrival.arrival.message);
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
	far->opening.handler(far->opening.arg, &arrival.arrival.message);
	if (segment->operation && !arrival.answered)
		far_refuse(&far->base, &arrival.arrival);
	return true;
}

/* False if it makes no sense. */
static bool
handle(struct far *far, const struct stn_segment *segment,
       const unsigned char *data)
{
	struct far_pull **pull;

	switch (segment->type) {
	case STN_SEGMENT_MESSAGE:
		return show_message(far, segment, data);
	case STN_SEGMENT_STOP:
		pull = find_pull(far, segment->from, segment->operation);
		if (*pull)
			end_pull(pull, STN_LOST);
		return true;
	case STN_SEGMENT_END:
		far_offer_end(far, segment->from, segment->operation,
			      segment->flags & STN_SEGMENT_REFUSED ? STN_REFUSED
								   : STN_OK);
		return true;
	case STN_SEGMENT_LOST:
		stn_peers_lost(&far->base, segment->from,
			       "its gateway has lost it");
		return true;
	}
	return false;
}

/* Gateways send what concerns us only, from nodes of the road's cluster. */
static bool
is_ours(const struct far *far, const struct far_road *road,
	const struct stn_segment *segment)
{
	const struct stn_topology *topology = far->opening.topology;

	return segment->from < topology->nodes &&
	       stn_cluster_of(topology, segment->from) == road->cluster &&
	       segment->to == far->opening.rank &&
	       segment->type < STN_SEGMENT_TYPES;
}

static bool
begin_part(struct far *far, struct far_road *road,
	   const struct stn_segment *segment)
{
	struct far_pull *pull =
		*find_pull(far, segment->from, segment->operation);

	if (pull && segment->bytes > pull->left)
		return false;
	road->in_from += STN_SEGMENT_HEAD;
	road->part_left = segment->bytes;
	road->part = pull;
	return true;
}

static void
malformed(struct far *far, struct far_road *road)
{
	show_malformed(far,
		       stn_cluster_first(far->opening.topology, road->cluster));
	far_lose_road(far, road, "what its gateway sends makes no sense");
}

/* Takes one thing out of the buffer; false if there is no whole one. */
static bool
take_one(struct far *far, struct far_road *road, unsigned *did)
{
	size_t there = road->in_to - road->in_from;
	const unsigned char *at = road->in + road->in_from;
	struct stn_segment segment;
	size_t bytes;

	if (road->part_left && there) {
		*did += take_part(far, road);
		return true;
	}
	if (there < STN_SEGMENT_HEAD)
		return false;
	if (stn_segment_read(at, &segment) || !is_ours(far, road, &segment)) {
		malformed(far, road);
		return false;
	}
	if (segment.type == STN_SEGMENT_PART) {
		if (begin_part(far, road, &segment))
			return true;
		malformed(far, road);
		return false;
	}
	bytes = STN_SEGMENT_HEAD + segment.bytes;
	if (there < bytes)
		return false;
	++*did;
	if (!handle(far, &segment, at + STN_SEGMENT_HEAD)) {
		malformed(far, road);
		return false;
	}
	road->in_from += bytes;
	return true;
}

static unsigned
take_apart(struct far *far, struct far_road *road)
{
	unsigned did = 0;

	while (!road->lost && take_one(far, road, &did))
		continue;
	if (road->in_from) {
		road->in_to -= road->in_from;
		memmove(road->in, road->in + road->in_from, road->in_to);
		road->in_from = 0;
	}
	return did;
}

/* Where to read to: a part's place, and behind it the buffer. */
static size_t
aim(const struct far_road *road, struct iovec *to, size_t *direct_p)
{
	const struct far_pull *pull = road->in_to ? NULL : road->part;
	size_t count = 0, direct = 0, room = FAR_IN_BYTES - road->in_to;

	while (pull && count < FAR_PART_PIECES && direct < road->part_left) {
		to[count] = pull->at[count];
		if (to[count].iov_len > road->part_left - direct)
			to[count].iov_len = road->part_left - direct;
		direct += to[count++].iov_len;
	}
	*direct_p = direct;
	/* Of what comes behind, a next part should find its place, too. */
	if (direct && direct < pull->left)
		room = STN_SEGMENT_HEAD;
	if (!direct || direct == road->part_left)
		to[count++] = (struct iovec){ road->in + road->in_to, room };
	return count;
}

/* False if no more has come. */
static bool
read_some(struct far *far, struct far_road *road, unsigned *did)
{
	struct iovec to[FAR_PART_PIECES + 1];
	size_t direct, count = aim(road, to, &direct);
	size_t room = stn_pieces_bytes(to, count);
	ssize_t got = readv(road->fd, to, (int)count);
	bool more = got == (ssize_t)room;

	if (got <= 0) {
		if (!got || (errno != EAGAIN && errno != EINTR))
			far_lose_road(far, road, "its gateway is gone");
		return false;
	}
	if ((size_t)got < direct)
		direct = (size_t)got;
	road->in_to += (size_t)got - direct;
	if (direct)
		*did += part_came(far, road, direct);
	return more;
}

unsigned
far_receive(struct far *far, struct far_road *road)
{
	unsigned did = 0;
	bool more = true;

	for (unsigned i = 0; i < READS && more && !road->lost; i++) {
		more = read_some(far, road, &did);
		did += take_apart(far, road);
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
	pull = far_allocate(sizeof(*pull) + count * sizeof(pieces[0]));
	pull->from = arrival->message.from;
	pull->operation = far_arrival->operation;
	pull->done = done;
	pull->arg = arg;
	pull->left = arrival->message.payload_bytes;
	pull->count = count;
	memcpy(pull->pieces, pieces, count * sizeof(pieces[0]));
	pull->at = pull->pieces;
	pull->next = far->pulls;
	far->pulls = pull;
}

void
far_refuse(struct stn_transport *transport, const struct stn_arrival *arrival)
{
	struct far_arrival *far_arrival = (struct far_arrival *)arrival;

	far_arrival->answered = true;
	far_tell(far_of(transport), arrival->message.from, STN_SEGMENT_END,
		 STN_SEGMENT_REFUSED, far_arrival->operation);
}

void
far_end_pulls(struct far *far, struct far_road *road, uint32_t rank,
	      enum stn_err err)
{
	struct far_pull **at = &far->pulls;

	while (*at) {
		struct far_pull *pull = *at;

		if (far_road_to(far, pull->from) != road ||
		    (pull->from != rank && rank != FAR_ALL)) {
			at = &pull->next;
			continue;
		}
		if (road->part == pull)
			road->part = NULL;
		end_pull(at, err);
		at = &far->pulls; /* an end may have changed the list */
	}
}
