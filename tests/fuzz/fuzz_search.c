/*
 * fuzz_search.c: an arbitrary message of the service of bounds is rejected, or
 * has the form of its kind; and incumbents in any order leave the best of them.
 *
 * Input: messages, one after the other: kind, length of the header (8 bits
 * each), header. The highest bit of a kind means that the message has a
 * payload.
 */
#include <stdlib.h>
#include <string.h>

#include "search/bounds.h"
#include "search/wire.h"
#include "tests/fuzz/fuzz.h"

#define NODES 3
#define MESSAGES_MOST 100

/* A bound has, after each message, an incumbent as good as the message's. */
static void
check_take(struct stn_bounds *bounds, const struct stn_search_piece *piece)
{
	const struct stn_search_improve *improve = &piece->improve;
	const struct stn_candidate candidate = {
		.value = improve->value,
		.key = improve->key,
		.found = improve->flags & STN_SEARCH_FOUND,
		.witness = piece->bytes,
		.bytes = stn_search_piece_bytes(improve),
	};
	struct stn_bound_state *bound = stn_bounds_get(bounds, improve->bound);
	struct stn_candidate before;

	require(bound);
	before = (struct stn_candidate){ .value = bound->best.value,
					 .key = bound->best.key,
					 .found = bound->found };
	if (!stn_bound_beats(bound, &candidate))
		return;
	require(!stn_bound_take(bound, &candidate));
	require(bound->best.value == candidate.value &&
		bound->best.key == candidate.key &&
		bound->bytes == candidate.bytes &&
		!memcmp(bound->witness, piece->bytes, bound->bytes));
	require(!stn_bound_beats(bound, &candidate));
	require(!stn_bound_beats(bound, &before));
}

static void
check_improve(struct stn_bounds *bounds, const struct stn_search_piece *piece)
{
	const struct stn_search_improve *improve = &piece->improve;
	size_t bytes = stn_search_piece_bytes(improve);

	require(bytes <= STN_SEARCH_PIECE_BYTES &&
		improve->at + bytes <= improve->bytes &&
		improve->bytes <= STN_WITNESS_BYTES);
	require(improve->at + bytes == improve->bytes ||
		bytes == STN_SEARCH_PIECE_BYTES);
	require(!improve->bytes || improve->flags & STN_SEARCH_FOUND);
	check_take(bounds, piece);
}

/* Handles a message; returns what is behind it, or NULL. */
static const uint8_t *
handle(struct stn_bounds *bounds, const uint8_t *data, const uint8_t *end)
{
	struct stn_message message = { 0 };
	union stn_search_wire wire;

	if (end - data < 2 || data[1] > STN_HEADER_BYTES ||
	    end - data - 2 < data[1])
		return NULL;
	message.kind = data[0] & 0x7f;
	message.payload_bytes = data[0] >> 7;
	message.header = data + 2;
	message.header_bytes = data[1];
	data += 2 + message.header_bytes;
	if (message.kind != STN_IMPROVED && message.kind != STN_HAVE)
		return data; /* a service gets only its own kinds */
	if (stn_search_parse(&message, &wire))
		return data;
	require(!message.payload_bytes);
	if (message.kind == STN_IMPROVED)
		check_improve(bounds, &wire.piece);
	else
		require(message.header_bytes == sizeof(wire.have));
	return data;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stn_bounds bounds = { .nodes = NODES };
	const uint8_t *end = data + size;

	for (int i = 0; data && i < MESSAGES_MOST; i++)
		data = handle(&bounds, data, end);
	stn_bounds_fini(&bounds);
	return 0;
}
