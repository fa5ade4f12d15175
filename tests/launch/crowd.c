/*
 * crowd.c: one process that looks to its gateway like many nodes of a cluster,
 * for tests/join.t.
 *
 *	sateen join ... -- crowd COUNT BYTES [malformed|twice|early|sends|hangs]
 *
 * Each of COUNT nodes sends a card of BYTES bytes, gets the cards of all
 * clusters' nodes, and leaves. Prints the most memory that the gateway has
 * used, in MB. With a third argument, node 0 sends a malformed frame, or its
 * card twice, or a frame of a later time before the other nodes are there, and
 * all nodes wait until the gateway ends their connections. After "sends" or
 * "hangs" node 0 opens a connection for segments to the other cluster when the
 * cards have come; sends the other's first node as much as it can; or reads
 * nothing.
 */
#include <netdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "transport/far/segment.h"
#include "transport/far/uplink.h"
#include "launch/wireup/wireup_frame.h"

#define MOST 1000
#define CARD_MOST 65536

struct crowd {
	struct stn_uplink uplink;
	struct stn_layout layout;
	uint32_t count, size;
	int fds[MOST];
};

static _Noreturn void
give_up(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

static int
call(const struct stn_uplink *uplink)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *found;
	int fd;

	if (getaddrinfo(uplink->addresses[0], uplink->ports[0], &hints, &found))
		give_up("getaddrinfo");
	fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, found->ai_addr, found->ai_addrlen))
		give_up("connect");
	freeaddrinfo(found);
	return fd;
}

static void
put(int fd, const void *bytes, size_t size)
{
	if (send(fd, bytes, size, MSG_NOSIGNAL) != (ssize_t)size)
		give_up("send");
}

static void
get(int fd, void *bytes, size_t size)
{
	if (size && recv(fd, bytes, size, MSG_WAITALL) != (ssize_t)size)
		give_up("recv");
}

/* Of the first nodes, @present of them. */
static void
send_handshakes(struct crowd *crowd, uint32_t present)
{
	struct stn_handshake said = {
		STN_HANDSHAKE_CONTROL, 0, crowd->count, { 0 }
	};
	unsigned char bytes[STN_HANDSHAKE_BYTES];

	memcpy(said.token, crowd->uplink.token, sizeof(said.token));
	for (; said.rank < present; said.rank++) {
		crowd->fds[said.rank] = call(&crowd->uplink);
		stn_handshake_write(bytes, &said);
		put(crowd->fds[said.rank], bytes, sizeof(bytes));
	}
}

static void
receive_layouts(struct crowd *crowd)
{
	unsigned char said[STN_HANDSHAKE_ANSWER_BYTES], bytes[STN_LAYOUT_BYTES];
	struct stn_handshake_answer answer;

	for (uint32_t i = 0; i < crowd->count; i++) {
		get(crowd->fds[i], said, sizeof(said));
		if (stn_handshake_answer_read(said, &answer) || answer.refused)
			give_up("refused");
		get(crowd->fds[i], bytes, answer.bytes);
		if (stn_layout_read(bytes, answer.bytes, &crowd->layout))
			give_up("layout");
	}
}

static void
send_frames(struct crowd *crowd, enum stn_wireup_frame_type type, uint32_t size)
{
	static unsigned char card[CARD_MOST];
	uint32_t rank = crowd->layout.first[crowd->layout.mine];

	for (uint32_t i = 0; i < crowd->count; i++, rank++) {
		memcpy(card, &rank, sizeof(rank));
		if (stn_wireup_frame_send(crowd->fds[i], type, card, size))
			give_up("send");
	}
}

/* Returns if the gateway ends all connections, not just that of node 0. */
static void
send_wrong_frames(struct crowd *crowd, bool twice)
{
	const struct stn_wireup_head malformed = { UINT32_MAX, 0, 0 };
	unsigned char card[4] = { 0 };

	for (int i = 0; twice && i < 2; i++)
		if (stn_wireup_frame_send(crowd->fds[0], STN_WIREUP_CARD, card,
					  sizeof(card)))
			give_up("send");
	if (!twice)
		put(crowd->fds[0], &malformed, sizeof(malformed));
	for (uint32_t i = 0; i < crowd->count; i++)
		recv(crowd->fds[i], card, sizeof(card), MSG_WAITALL);
}

/* Returns if the gateway ends the connection. */
static void
send_early_frame(struct crowd *crowd)
{
	unsigned char view[4] = { 0 };

	send_handshakes(crowd, 1);
	if (stn_wireup_frame_send(crowd->fds[0], STN_WIREUP_APPLIED, view,
				  sizeof(view)))
		give_up("send");
	recv(crowd->fds[0], view, sizeof(view), MSG_WAITALL);
}

/* Waits for a frame from the gateway. */
static void
receive_frame(struct stn_bytes *heard, int fd, enum stn_wireup_frame_type type,
	      struct stn_wireup_frame *frame)
{
	enum stn_err err;

	while ((err = stn_wireup_frame_parse(heard, STN_WIREUP_FROM_LAUNCHER,
					     frame)) == STN_MISSING)
		if (stn_bytes_read(heard, fd))
			give_up("read");
	if (err || frame->head.type != type)
		give_up("another frame");
}

static void
receive_cards(const struct crowd *crowd)
{
	uint32_t nodes = crowd->layout.first[crowd->layout.clusters];
	struct stn_card *cards = calloc(nodes, sizeof(cards[0]));

	for (uint32_t i = 0; cards && i < crowd->count; i++) {
		struct stn_bytes heard = { NULL };
		struct stn_wireup_frame frame;

		receive_frame(&heard, crowd->fds[i], STN_WIREUP_CARDS, &frame);
		if (stn_wireup_frame_cards(&frame, cards, nodes))
			give_up("malformed cards");
		for (uint32_t j = 0; j < nodes; j++)
			if (cards[j].size != crowd->size ||
			    memcmp(cards[j].bytes, &j, sizeof(j)))
				give_up("another's card");
		stn_bytes_fini(&heard);
	}
	free(cards);
}

static void
receive_go(const struct crowd *crowd)
{
	struct stn_bytes heard = { NULL };
	struct stn_wireup_frame frame;

	for (uint32_t i = 0; i < crowd->count; i++) {
		receive_frame(&heard, crowd->fds[i], STN_WIREUP_GO, &frame);
		stn_wireup_frame_drop(&heard, &frame);
	}
	stn_bytes_fini(&heard);
}

/* Of node 0, to the other cluster, of two. */
static int
open_segments(const struct crowd *crowd, uint32_t other)
{
	unsigned char said[STN_HANDSHAKE_ANSWER_BYTES],
		bytes[STN_HANDSHAKE_BYTES];
	struct stn_handshake handshake = {
		.what_for = STN_HANDSHAKE_SEGMENTS,
		.rank = crowd->layout.first[crowd->layout.mine],
		.count = other,
	};
	struct stn_handshake_answer answer;
	int fd = call(&crowd->uplink);

	memcpy(handshake.token, crowd->uplink.token, sizeof(handshake.token));
	stn_handshake_write(bytes, &handshake);
	put(fd, bytes, sizeof(bytes));
	get(fd, said, sizeof(said));
	if (stn_handshake_answer_read(said, &answer) || answer.refused)
		give_up("refused");
	return fd;
}

/* Sends segments until the connection ends. */
static void
send_segments(const struct crowd *crowd, int fd, uint32_t other)
{
	static unsigned char bytes[STN_SEGMENT_BYTES];
	const struct stn_segment segment = {
		.to = crowd->layout.first[other],
		.from = crowd->layout.first[crowd->layout.mine],
		.bytes = STN_SEGMENT_DATA,
		.operation = 1,
		.type = STN_SEGMENT_PART,
	};

	stn_segment_write(bytes, &segment);
	while (send(fd, bytes, sizeof(bytes), MSG_NOSIGNAL) > 0)
		;
}

/* Returns when the gateway ends the control connection. */
static void
fill(const struct crowd *crowd, bool sends)
{
	uint32_t other = !crowd->layout.mine;
	int fd = open_segments(crowd, other);
	char byte;

	if (sends)
		send_segments(crowd, fd, other);
	while (recv(crowd->fds[0], &byte, sizeof(byte), 0) > 0)
		;
	close(fd);
}

/* The most memory that the gateway, our parent process, has used. */
static long
gateway_kilobytes(void)
{
	char name[64], line[256];
	long kilobytes = 0;
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%d/status", (int)getppid());
	file = fopen(name, "re");
	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "VmHWM: %ld", &kilobytes);
	if (file)
		fclose(file);
	return kilobytes;
}

int
main(int argc, char **argv)
{
	static struct crowd crowd;
	const char *text = getenv(STN_GATEWAY);
	struct stn_why why;
	bool fills;

	crowd.count = argc >= 3 ? (uint32_t)atoi(argv[1]) : 0;
	crowd.size = argc >= 3 ? (uint32_t)atoi(argv[2]) : 0;
	if (!crowd.count || crowd.count > MOST || crowd.size < 4 ||
	    crowd.size > CARD_MOST || !text ||
	    stn_uplink_read(text, &crowd.uplink, &why)) {
		fputs("usage: see crowd.c\n", stderr);
		return 2;
	}
	if (argc == 4 && !strcmp(argv[3], "early")) {
		send_early_frame(&crowd);
		return EXIT_FAILURE;
	}
	send_handshakes(&crowd, crowd.count);
	receive_layouts(&crowd);
	fills = argc == 4 &&
		(!strcmp(argv[3], "sends") || !strcmp(argv[3], "hangs"));
	if (argc == 4 && !fills) {
		send_wrong_frames(&crowd, !strcmp(argv[3], "twice"));
		return EXIT_FAILURE;
	}
	send_frames(&crowd, STN_WIREUP_CARD, crowd.size);
	receive_cards(&crowd);
	if (fills) {
		fill(&crowd, !strcmp(argv[3], "sends"));
		return EXIT_FAILURE;
	}
	send_frames(&crowd, STN_WIREUP_ARRIVED, 0);
	receive_go(&crowd);
	printf("%ld\n", gateway_kilobytes() / 1024);
	return EXIT_SUCCESS;
}
