#include "apps/bench/steal/line.h"

#include <string.h>

#include "apps/bench/ticks.h"
#include "steal/join/meet.h"

enum { CALL = 1, PING, OVER };

static void
left(void *arg, enum stn_err err)
{
	(void)err; /* the peer's end shows, too */
	*(bool *)arg = true;
}

static void
taken(void *arg, enum stn_err err)
{
	struct line *line = arg;

	line->heard = !err;
}

static void
take_call(struct line *line, const struct stn_message *message)
{
	struct iovec piece = { line->theirs, message->payload_bytes };

	if (piece.iov_len > sizeof(line->theirs)) {
		stn_transport_refuse(line->transport, message);
		return;
	}
	line->theirs_bytes = piece.iov_len;
	stn_transport_take(line->transport, message, &piece, 1, taken, line);
}

static void
handle(void *arg, const struct stn_message *message)
{
	struct line *line = arg;

	switch (message->kind) {
	case CALL:
		take_call(line, message);
		break;
	case PING:
		line->answers++;
		if (line->rank)
			stn_transport_send(
				line->transport, 0, PING, message->header,
				message->header_bytes, NULL, 0, NULL, NULL);
		break;
	default:
		line->over = true;
	}
}

enum stn_err
line_open(struct line *line, uint32_t rank, struct stn_why *why)
{
	struct stn_opening opening;
	enum stn_err err;

	memset(line, 0, sizeof(*line));
	stn_config_defaults(&line->config);
	err = stn_config_environment(&line->config, why);
	if (err)
		return err;
	line->topology.nodes = 2;
	line->topology.clusters = 1;
	line->rank = rank;
	opening = stn_meet_opening(&line->config, &line->topology, rank);
	opening.port = 0; /* the other one is the run's */
	opening.handler = handle;
	opening.arg = line;
	return stn_transport_open(stn_config_transport(&line->config), &opening,
				  &line->transport, why);
}

void
line_close(struct line *line)
{
	stn_transport_close(line->transport, STN_SECOND_NS);
}

size_t
line_address(struct line *line, unsigned char address[STN_ADDRESS_BYTES])
{
	return stn_transport_address(line->transport, address);
}

enum stn_err
line_echo(struct line *line, const void *address, size_t bytes,
	  struct stn_why *why)
{
	unsigned char mine[STN_ADDRESS_BYTES];
	struct iovec piece = { mine, line_address(line, mine) };
	enum stn_err err =
		stn_transport_connect(line->transport, 0, address, bytes, why);
	bool called = false;

	if (err)
		return err;
	stn_transport_send(line->transport, 0, CALL, NULL, 0, &piece, 1, left,
			   &called);
	while (!called || !line->over)
		stn_transport_progress(line->transport);
	return STN_OK;
}

enum stn_err
line_await(struct line *line, uint64_t patience_ns, struct stn_why *why)
{
	uint64_t end = ticks_clock_ns() + patience_ns;

	while (!line->heard) {
		stn_transport_progress(line->transport);
		if (ticks_clock_ns() > end)
			return stn_because(why, STN_LOST,
					   "node 1 did not take the call that "
					   "answers messages");
	}
	return stn_transport_connect(line->transport, 1, line->theirs,
				     line->theirs_bytes, why);
}

uint64_t
line_ping(struct line *line)
{
	uint64_t begin = ticks_clock_ns(), answers = line->answers;

	stn_transport_send(line->transport, 1, PING, &begin, sizeof(begin),
			   NULL, 0, NULL, NULL);
	while (line->answers == answers)
		stn_transport_progress(line->transport);
	return ticks_clock_ns() - begin;
}

void
line_hang_up(struct line *line)
{
	stn_transport_send(line->transport, 1, OVER, NULL, 0, NULL, 0, NULL,
			   NULL);
}
