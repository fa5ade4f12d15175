#include "bench/steal/echo.h"

#include <string.h>

#include "bench/ticks.h"
#include "launch/meet.h"
#include "launch/open.h"
#include "launch/settings.h"

enum { CALL = 1, PING, OVER };

static void
left(void *arg, enum stn_err err)
{
	(void)err; /* the run ends if the peer dies */
	*(bool *)arg = true;
}

static void
taken(void *arg, enum stn_err err)
{
	struct echo *echo = arg;

	echo->heard = !err;
}

static void
take_call(struct echo *echo, const struct stn_message *message)
{
	struct iovec piece = { echo->theirs, message->payload_bytes };

	if (piece.iov_len > sizeof(echo->theirs)) {
		stn_transport_refuse(echo->transport, message);
		return;
	}
	echo->theirs_bytes = piece.iov_len;
	stn_transport_take(echo->transport, message, &piece, 1, taken, echo);
}

static void
handle(void *arg, const struct stn_message *message)
{
	struct echo *echo = arg;

	switch (message->kind) {
	case CALL:
		take_call(echo, message);
		break;
	case PING:
		echo->answers++;
		if (echo->rank)
			stn_transport_send(
				echo->transport, 0, PING, message->header,
				message->header_bytes, NULL, 0, NULL, NULL);
		break;
	default:
		echo->over = true;
	}
}

enum stn_err
echo_open(struct echo *echo, uint32_t rank, struct stn_why *why)
{
	struct stn_opening opening;
	enum stn_err err;

	memset(echo, 0, sizeof(*echo));
	stn_config_defaults(&echo->config);
	err = stn_config_environment(&echo->config, why);
	if (err)
		return err;
	echo->topology.nodes = 2;
	echo->topology.clusters = 1;
	echo->rank = rank;
	opening = stn_meet_opening(&echo->config, &echo->topology, rank);
	opening.port = 0; /* the other one is the run's */
	opening.handler = handle;
	opening.arg = echo;
	return stn_open_transport(stn_config_transport(&echo->config), NULL,
				  &opening, &echo->transport, why);
}

enum stn_err
echo_serve(struct echo *echo, const void *address, size_t bytes,
	   struct stn_why *why)
{
	unsigned char mine[STN_ADDRESS_BYTES];
	struct iovec piece = { mine,
			       stn_transport_address(echo->transport, mine) };
	enum stn_err err =
		stn_transport_connect(echo->transport, 0, address, bytes, why);
	bool called = false;

	if (err)
		return err;
	stn_transport_send(echo->transport, 0, CALL, NULL, 0, &piece, 1, left,
			   &called);
	while (!called || !echo->over)
		stn_transport_progress(echo->transport);
	return STN_OK;
}

enum stn_err
echo_await(struct echo *echo, uint64_t patience_ns, struct stn_why *why)
{
	uint64_t end = ticks_clock_ns() + patience_ns;

	while (!echo->heard) {
		stn_transport_progress(echo->transport);
		if (ticks_clock_ns() > end)
			return stn_because(why, STN_LOST,
					   "node 1 did not steal the call that "
					   "answers messages");
	}
	return stn_transport_connect(echo->transport, 1, echo->theirs,
				     echo->theirs_bytes, why);
}

uint64_t
echo_ping(struct echo *echo)
{
	uint64_t begin = ticks_clock_ns(), answers = echo->answers;

	stn_transport_send(echo->transport, 1, PING, &begin, sizeof(begin),
			   NULL, 0, NULL, NULL);
	while (echo->answers == answers)
		stn_transport_progress(echo->transport);
	return ticks_clock_ns() - begin;
}

void
echo_stop(struct echo *echo)
{
	stn_transport_send(echo->transport, 1, OVER, NULL, 0, NULL, 0, NULL,
			   NULL);
}
