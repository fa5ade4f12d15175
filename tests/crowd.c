/*
 * crowd.c: many nodes of a cluster in one process, as far as their gateway can
 * tell; for tests/join.t.
 *
 *	sateen join ... -- crowd COUNT BYTES
 *
 * Each shows a card of so many bytes, gets everybody's, of all clusters, and
 * leaves. Prints how much memory the gateway has had at most, in MB.
 */
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "transport/wan/door.h"
#include "transport/wireup/wireup_frame.h"

#define MOST 1000
#define CARD_MOST 65536

struct crowd {
	struct stn_door door;
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
call(const struct stn_door *door)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *found;
	int fd;

	if (getaddrinfo(door->addresses[0], door->ports[0], &hints, &found))
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

static void
knock(struct crowd *crowd)
{
	struct stn_knock said = { STN_KNOCK_CONTROL, 0, crowd->count, { 0 } };
	unsigned char bytes[STN_KNOCK_BYTES];

	memcpy(said.token, crowd->door.token, sizeof(said.token));
	for (; said.rank < crowd->count; said.rank++) {
		crowd->fds[said.rank] = call(&crowd->door);
		stn_knock_write(bytes, &said);
		put(crowd->fds[said.rank], bytes, sizeof(bytes));
	}
}

static void
hear_plan(struct crowd *crowd)
{
	unsigned char said[STN_ANSWER_BYTES], bytes[STN_LAYOUT_BYTES];
	struct stn_answer answer;

	for (uint32_t i = 0; i < crowd->count; i++) {
		get(crowd->fds[i], said, sizeof(said));
		if (stn_answer_read(said, &answer) || answer.refused)
			give_up("refused");
		get(crowd->fds[i], bytes, answer.bytes);
		if (stn_layout_read(bytes, answer.bytes, &crowd->layout))
			give_up("layout");
	}
}

static void
say(struct crowd *crowd, enum stn_frame_type type, uint32_t size)
{
	static unsigned char card[CARD_MOST];
	struct stn_frame_head head = { type, size };
	uint32_t rank = crowd->layout.first[crowd->layout.mine];

	for (uint32_t i = 0; i < crowd->count; i++, rank++) {
		memcpy(card, &rank, sizeof(rank));
		put(crowd->fds[i], &head, sizeof(head));
		put(crowd->fds[i], card, size);
	}
}

static void
hear_cards(const struct crowd *crowd)
{
	uint32_t nodes = crowd->layout.first[crowd->layout.clusters];
	struct stn_card *cards = calloc(nodes, sizeof(cards[0]));

	for (uint32_t i = 0; cards && i < crowd->count; i++) {
		struct stn_frame_head head;
		unsigned char *body;

		get(crowd->fds[i], &head, sizeof(head));
		body = malloc(head.size);
		if (!body || head.type != STN_FRAME_CARDS)
			give_up("cards");
		get(crowd->fds[i], body, head.size);
		if (stn_frame_cards(body, head.size, cards, nodes))
			give_up("malformed cards");
		for (uint32_t j = 0; j < nodes; j++)
			if (cards[j].size != crowd->size ||
			    memcmp(cards[j].bytes, &j, sizeof(j)))
				give_up("another's card");
		free(body);
	}
	free(cards);
}

static void
hear_go(const struct crowd *crowd)
{
	struct stn_frame_head head;

	for (uint32_t i = 0; i < crowd->count; i++) {
		get(crowd->fds[i], &head, sizeof(head));
		if (head.type != STN_FRAME_GO)
			give_up("go");
	}
}

/* The most that the gateway, which has started us, has had in memory. */
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

	crowd.count = argc == 3 ? (uint32_t)atoi(argv[1]) : 0;
	crowd.size = argc == 3 ? (uint32_t)atoi(argv[2]) : 0;
	if (!crowd.count || crowd.count > MOST || crowd.size < 4 ||
	    crowd.size > CARD_MOST || !text ||
	    stn_door_read(text, &crowd.door, &why)) {
		fputs("usage: see crowd.c\n", stderr);
		return 2;
	}
	knock(&crowd);
	hear_plan(&crowd);
	say(&crowd, STN_FRAME_CARD, crowd.size);
	hear_cards(&crowd);
	say(&crowd, STN_FRAME_ARRIVED, 0);
	hear_go(&crowd);
	printf("%ld\n", gateway_kilobytes() / 1024);
	return EXIT_SUCCESS;
}
