/*
 * fuzz_frame.c: any bytes are parsed as frames of a node, a launcher or an
 * agent (wireup_frame.h) that keep the parser's promises, or are rejected. Any
 * line is an agent's greeting (agent_protocol.h), or is none.
 */
#include <stdlib.h>
#include <string.h>

#include "launch/run/agent_protocol.h"
#include "tests/fuzz/fuzz.h"

#define NODES 4

static size_t
count(char *const *texts)
{
	size_t texts_count = 0;

	while (texts[texts_count])
		texts_count++;
	return texts_count;
}

/* A START frame that was parsed is the same when it is written again. */
static void
check_start(const struct stn_wireup_frame *frame)
{
	const char *body = (const char *)frame->body;
	struct stn_agent_start start, again;
	struct stn_bytes bytes = { NULL };
	struct stn_wireup_frame copy;

	if (stn_agent_start_parse(frame, &start)) {
		require(!start.settings && !start.program);
		return;
	}
	require(start.count && start.first == frame->head.rank);
	require(start.directory >= body &&
		start.directory < body + frame->head.size);
	require(count(start.program) &&
		count(start.program) < frame->head.size);
	require(stn_agent_start_add(&bytes, &start));
	require(!stn_wireup_frame_parse(&bytes, STN_WIREUP_FROM_LAUNCHER,
					&copy));
	require(!stn_agent_start_parse(&copy, &again));
	require(!strcmp(start.directory, again.directory) &&
		count(start.settings) == count(again.settings) &&
		count(start.program) == count(again.program));
	free(again.settings);
	free(again.program);
	free(start.settings);
	free(start.program);
	stn_bytes_fini(&bytes);
}

static void
check_cards(const struct stn_wireup_frame *frame)
{
	const unsigned char *body = frame->body;
	struct stn_card cards[NODES];
	size_t size = frame->head.size, sum = 0;

	if (stn_wireup_frame_cards(frame, cards, NODES))
		return;
	for (unsigned i = 0; i < NODES; i++) {
		require(cards[i].bytes >= body && cards[i].size <= size &&
			cards[i].bytes + cards[i].size <= body + size);
		sum += cards[i].size + 4;
	}
	require(sum == size);
}

static void
check_miss(const struct stn_wireup_frame *frame)
{
	struct stn_why why;
	uint32_t missed = stn_wireup_frame_missed(frame, &why);

	require(!memcmp(&missed, frame->body, sizeof(missed)));
	require(strlen(why.text) <= frame->head.size - sizeof(missed));
}

static void
check_view(const struct stn_wireup_frame *frame)
{
	struct stn_change *changes;
	uint32_t root, count;

	if (stn_wireup_frame_view(frame, NODES, &root, &changes, &count))
		return;
	require(root < NODES && count && count < 2 * NODES);
	require(frame->head.size == 4 + count * sizeof(changes[0]));
	for (uint32_t i = 0; i < count; i++)
		require(changes[i].rank < NODES &&
			changes[i].what <= STN_JOINED);
	free(changes);
}

/* The cards of PEERS follow each other, up to where the frame is cut. */
static void
check_peers(const struct stn_wireup_frame *frame)
{
	const unsigned char *end = frame->body + frame->head.size;
	struct stn_bytes again = { NULL };
	size_t at = 0, before = 0;
	struct stn_card card;
	uint32_t rank;

	while (stn_wireup_frame_peer(frame, &at, &rank, &card)) {
		uint32_t size = (uint32_t)card.size;

		require(card.bytes >= frame->body + before + 8);
		require(card.size <= (size_t)(end - card.bytes));
		require(frame->body + at == card.bytes + card.size);
		require(stn_bytes_add(&again, &rank, sizeof(rank)) &&
			stn_bytes_add(&again, &size, sizeof(size)) &&
			stn_bytes_add(&again, card.bytes, card.size));
		before = at;
	}
	require(at == before && stn_bytes_count(&again) == at);
	require(!at || !memcmp(stn_bytes_front(&again), frame->body, at));
	stn_bytes_fini(&again);
}

static void
check_frame(const struct stn_wireup_frame *frame)
{
	switch (frame->head.type) {
	case STN_WIREUP_START:
		check_start(frame);
		break;
	case STN_WIREUP_CARDS:
		check_cards(frame);
		break;
	case STN_WIREUP_MISS:
		check_miss(frame);
		break;
	case STN_WIREUP_VIEW:
		check_view(frame);
		break;
	case STN_WIREUP_PEERS:
		check_peers(frame);
		break;
	}
}

/* Parses all frames in an exact copy, so that reads beyond the end show. */
static void
fuzz_frames(const uint8_t *data, size_t size, enum stn_wireup_sender from)
{
	struct stn_bytes bytes = { malloc(size + !size), 0, size, size };
	struct stn_wireup_frame frame;

	require(bytes.data);
	memcpy(bytes.data, data, size);
	while (!stn_wireup_frame_parse(&bytes, from, &frame)) {
		size_t there = stn_bytes_count(&bytes);

		require(frame.body ==
			stn_bytes_front(&bytes) + sizeof(frame.head));
		require(frame.head.size <= there - sizeof(frame.head));
		check_frame(&frame);
		stn_wireup_frame_drop(&bytes, &frame);
		require(there - stn_bytes_count(&bytes) ==
			sizeof(frame.head) + frame.head.size);
	}
	stn_bytes_fini(&bytes);
}

/*
 * Takes all bytes as the body of CARDS, and of PEERS, so that mutations keep
 * the size right.
 */
static void
fuzz_bodies(const uint8_t *data, size_t size)
{
	const struct stn_wireup_frame frame = {
		{ STN_WIREUP_CARDS, 0, (uint32_t)size }, data
	};

	check_cards(&frame);
	check_peers(&frame);
}

static void
fuzz_greeting(const uint8_t *data, size_t size)
{
	struct stn_why why = { "" };
	char *line = malloc(size + 1);
	uint32_t nodes = 0;

	require(line);
	memcpy(line, data, size);
	line[size] = '\0';
	switch (stn_agent_greeting_read(line, &nodes, &why)) {
	case STN_OK:
		require(nodes);
		break;
	case STN_INVALID:
		require(*why.text);
		break;
	default:
		require(!*why.text);
	}
	free(line);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_frames(data, size, STN_WIREUP_FROM_NODE);
	fuzz_frames(data, size, STN_WIREUP_FROM_LAUNCHER);
	fuzz_frames(data, size, STN_WIREUP_FROM_AGENT);
	fuzz_bodies(data, size);
	fuzz_greeting(data, size);
	return 0;
}
