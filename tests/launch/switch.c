/*
 * switch.c: the switch of a gateway forwards what it should, in turns, in
 * bounded memory. There are two clusters: nodes 0 and 1 are in the gateway's
 * own, node 2 is behind a trunk. The test holds the other ends of all ports.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/tap.h"
#include "launch/gateway/switch.h"

enum end { NODE_0, NODE_1, TRUNK, ENDS };

static struct stn_switch hub;
static struct stn_port ports[ENDS];
static int ends[ENDS];
static unsigned lost[ENDS], controls;
static bool dismisses; /* a segment to the gateway ends its trunk */

static void
is_lost(void *arg, struct stn_port *port, const char *how)
{
	(void)arg;
	(void)how;
	lost[port - ports]++;
	stn_stream_fini(&port->stream); /* as a gateway does */
}

static void
control(void *arg, struct stn_port *trunk, const struct stn_segment *segment,
	const unsigned char *data)
{
	controls += trunk == &ports[TRUNK] && segment->bytes == 3 &&
		    !memcmp(data, "abc", 3);
	if (!dismisses)
		return;
	stn_switch_remove(&hub, trunk);
	is_lost(arg, trunk, "");
}

static void
watch(void *arg, struct stn_port *port, uint32_t events)
{
	(void)arg;
	(void)port;
	(void)events; /* go() reads the port's member instead */
}

static const struct stn_switch_calls calls = {
	.control = control,
	.lost = is_lost,
	.watch = watch,
};

static void
open_port(enum end i, struct stn_port as)
{
	const int small = 4096;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0,
		       pair))
		abort();
	setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	setsockopt(pair[1], SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	ports[i] = as;
	ends[i] = pair[1];
	lost[i] = 0;
	if (!stn_stream_init(&ports[i].stream, pair[0], NULL, NULL) ||
	    stn_switch_add(&hub, &ports[i]))
		abort();
}

static void
begin(void)
{
	static const uint32_t first[] = { 0, 2, 3 };

	controls = 0;
	dismisses = false;
	if (stn_switch_init(&hub, &calls, NULL, 0, 2) ||
	    stn_switch_set_layout(&hub, first))
		abort();
	open_port(NODE_0, (struct stn_port){ .cluster = 1, .rank = 0 });
	open_port(NODE_1, (struct stn_port){ .cluster = 1, .rank = 1 });
	open_port(TRUNK, (struct stn_port){ .cluster = 1, .trunk = true });
}

static void
end(void)
{
	for (int i = 0; i < ENDS; i++) {
		stn_switch_remove(&hub, &ports[i]);
		stn_stream_fini(&ports[i].stream);
		close(ends[i]);
	}
	stn_switch_fini(&hub);
}

/* Does what an owner's loop would do, eight times. */
static void
go(void)
{
	for (int round = 0; round < 8; round++) {
		for (int i = 0; i < ENDS; i++)
			if (!lost[i])
				stn_switch_ready(&hub, &ports[i],
						 ports[i].events);
		stn_switch_flush(&hub);
	}
}

/* Sends a PART of @bytes bytes, all @letter; false if the socket is full. */
static bool
put(enum end end, uint32_t from, uint32_t to, char letter, size_t bytes)
{
	unsigned char segment[STN_SEGMENT_BYTES];
	struct stn_segment head = {
		.to = to,
		.from = from,
		.bytes = (uint16_t)bytes,
		.type = STN_SEGMENT_PART,
		.operation = 1,
	};
	size_t size = STN_SEGMENT_HEAD + bytes;

	stn_segment_write(segment, &head);
	memset(segment + STN_SEGMENT_HEAD, letter, bytes);
	return send(ends[end], segment, size, MSG_NOSIGNAL) == (ssize_t)size;
}

/*
 * Receives all that has come to an end; the letters of its segments go to
 * @text. Returns their number.
 */
static size_t
get(enum end end, char *text, size_t most)
{
	static unsigned char in[1 << 20];
	size_t there = 0, at = 0, count = 0;

	for (int vain = 0; vain < 4 && there < sizeof(in);) {
		ssize_t got =
			recv(ends[end], in + there, sizeof(in) - there, 0);

		vain = got > 0 ? 0 : vain + 1;
		there += got > 0 ? (size_t)got : 0;
		go();
	}
	while (at + STN_SEGMENT_HEAD < there && count + 1 < most) {
		struct stn_segment segment;

		if (stn_segment_read(in + at, &segment))
			abort();
		text[count++] = (char)in[at + STN_SEGMENT_HEAD];
		at += STN_SEGMENT_HEAD + segment.bytes;
	}
	text[count] = '\0';
	return count;
}

static void
test_ways(void)
{
	char text[64];

	begin();
	put(NODE_0, 0, 2, 'a', 10);
	put(TRUNK, 2, 0, 'b', 20);
	put(TRUNK, 2, 1, 'c', 30);
	go();
	tap_ok(get(TRUNK, text, sizeof(text)) == 1 && *text == 'a',
	       "a node's segment to another cluster goes to the trunk");
	tap_ok(get(NODE_0, text, sizeof(text)) == 1 && *text == 'b' &&
		       get(NODE_1, text, sizeof(text)) == 1 && *text == 'c',
	       "a segment from the trunk goes to its receiver");
	end();
}

static void
put_control(enum end end)
{
	struct stn_segment segment = { .to = STN_SEGMENT_GATEWAY,
				       .bytes = 3,
				       .type = STN_SEGMENT_TYPES };
	unsigned char bytes[STN_SEGMENT_HEAD + 3];

	stn_segment_write(bytes, &segment);
	memcpy(bytes + STN_SEGMENT_HEAD, "abc", 3);
	if (send(ends[end], bytes, sizeof(bytes), 0) < 0)
		abort();
}

static void
test_control(void)
{
	begin();
	put_control(TRUNK);
	go();
	tap_ok(controls == 1 && !lost[TRUNK],
	       "the gateway gets a segment to itself from the trunk");
	put_control(NODE_0);
	go();
	tap_ok(controls == 1 && lost[NODE_0],
	       "but a node that sends one is lost");
	end();
}

/* A gateway drops a cluster that was joining, while it reads from it. */
static void
test_dismissed(void)
{
	begin();
	dismisses = true;
	put_control(TRUNK);
	put_control(TRUNK);
	go();
	tap_ok(controls == 1 && lost[TRUNK] == 1,
	       "what is behind the segment that ends a trunk is not read");
	end();
	begin();
	dismisses = true;
	put_control(TRUNK);
	shutdown(ends[TRUNK], SHUT_WR);
	go();
	tap_ok(controls == 1 && lost[TRUNK] == 1,
	       "nor is the end of that trunk's connection noticed");
	end();
}

static void
test_laws(void)
{
	begin();
	put(NODE_0, 1, 2, 'a', 10);
	go();
	tap_ok(lost[NODE_0] == 1,
	       "a node that sends in another's name is lost");
	put(NODE_1, 1, 0, 'a', 10);
	go();
	tap_ok(lost[NODE_1] == 1,
	       "so is one that sends to another cluster than its port's");
	put(TRUNK, 1, 0, 'a', 10);
	go();
	tap_ok(lost[TRUNK] == 1,
	       "and a trunk that sends in the name of another cluster's nodes");
	end();
}

static void
test_gone(void)
{
	char text[8];

	begin();
	stn_switch_remove(&hub, &ports[NODE_1]);
	put(TRUNK, 2, 1, 'a', 10);
	put(TRUNK, 2, 0, 'b', 10);
	go();
	tap_ok(get(NODE_0, text, sizeof(text)) == 1 && *text == 'b' &&
		       !lost[TRUNK],
	       "a segment for a node that is gone is dropped");
	close(ends[NODE_0]);
	ends[NODE_0] = -1;
	go();
	tap_ok(lost[NODE_0] == 1, "a connection that ends is reported once");
	end();
}

/*
 * Fills the trunk, which the test doesn't read. Returns how many segments that
 * took.
 */
static unsigned
fill(enum end end, uint32_t from, char letter)
{
	unsigned count = 0, vain = 0;

	while (vain < 4 && count < 10000) {
		if (put(end, from, 2, letter, 1000)) {
			count++;
			vain = 0;
		} else {
			vain++;
		}
		go();
	}
	return count;
}

static void
test_pressure(void)
{
	unsigned from_0, from_1;
	char text[8];

	begin();
	from_0 = fill(NODE_0, 0, 'a');
	from_1 = fill(NODE_1, 1, 'b');
	tap_ok(from_0 && from_0 < 400 && from_1 && from_1 < 400,
	       "segments that a slow trunk doesn't take stay with their "
	       "senders: %u and "
	       "%u segments of 1 KB are under way",
	       from_0, from_1);
	tap_ok(put(TRUNK, 2, 0, 'c', 10), "meanwhile the trunk can send");
	go();
	tap_ok(get(NODE_0, text, sizeof(text)) == 1,
	       "and a blocked node can receive");
	end();
}

/* Both nodes send all they can while the trunk is read now and then. */
static void
test_turns(void)
{
	static char text[4000], in[2000];
	unsigned turns = 0, count = 0;

	begin();
	fill(NODE_0, 0, 'a');
	fill(NODE_1, 1, 'b');
	while (strlen(text) < 1000 && count++ < 10000) {
		get(TRUNK, in, sizeof(in));
		strcat(text, in);
		fill(NODE_0, 0, 'a');
		fill(NODE_1, 1, 'b');
	}
	for (const char *at = text + 500; *at; at++)
		turns += *at != at[-1];
	tap_ok(turns > strlen(text + 500) / 16,
	       "blocked ports take turns: %u in %zu segments", turns,
	       strlen(text + 500));
	end();
}

/*
 * The trunk and a node are blocked by each other, and both have closed their
 * connections. When one of the two is served and found closed, the other is
 * lost with it.
 */
static void
test_both_end(void)
{
	char bytes[1000];
	ssize_t got;

	begin();
	fill(NODE_0, 0, 'a');
	for (int i = 0; i < 400; i++) {
		put(TRUNK, 2, 0, 'b', 1000);
		go();
	}
	shutdown(ends[TRUNK], SHUT_WR);
	shutdown(ends[NODE_0], SHUT_WR);
	while ((got = recv(ends[TRUNK], bytes, sizeof(bytes), 0)) > 0)
		go();
	tap_ok(lost[NODE_0] == 1 && lost[TRUNK] == 1 && !lost[NODE_1],
	       "two ports that block each other and end are reported once: %u, "
	       "%u",
	       lost[NODE_0], lost[TRUNK]);
	end();
}

static void
test_silence(void)
{
	const uint64_t silence = 4 * STN_SECOND_NS;
	uint64_t now = STN_SECOND_NS;
	unsigned count = 0;

	begin();
	while (put(TRUNK, 2, 0, 'a', 1000) && count++ < 20)
		go();
	stn_switch_check_readers(&hub, now, silence);
	tap_ok(!lost[NODE_0], "the switch waits for a node that doesn't read");
	now += 4 * silence;
	stn_switch_check_readers(&hub, now, silence);
	tap_ok(!lost[NODE_0], "time in which it didn't check is not counted");
	for (unsigned i = 0; i < 40; i++)
		stn_switch_check_readers(&hub, now += silence / 16, silence);
	tap_ok(lost[NODE_0] == 1 && !lost[NODE_1] && !lost[TRUNK],
	       "but not for ever");
	end();
}

int
main(void)
{
	tap_begin();
	test_ways();
	test_control();
	test_dismissed();
	test_laws();
	test_gone();
	test_pressure();
	test_turns();
	test_both_end();
	test_silence();
	return tap_end();
}
