/*
 * wireup.c: nodes show each other cards, round after round: those of one
 * process, and those that a launcher holds by sockets. The launcher's end is
 * also given what no node should say. And nodes share the state of links.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/tap.h"
#include "transport/queues.h"
#include "transport/wireup/wireup_server.h"

#define NODES 3
#define ROUNDS 50

struct player {
	pthread_t thread;
	struct stn_wireup *wireup;
	uint32_t rank;
	bool right; /* all cards were as they should, and the barrier, too */
};

/* Cards of many sizes, the last of them empty. */
static size_t
card_of(uint32_t rank, uint32_t round, unsigned char *card)
{
	size_t size = (ROUNDS - 1 - round) * (rank + 1) * 100;

	memset(card, (int)(7 * round + rank), size);
	return size;
}

static bool
right_cards(const struct stn_card *cards, uint32_t round)
{
	unsigned char expected[100 * ROUNDS * NODES];

	for (uint32_t i = 0; i < NODES; i++)
		if (cards[i].size != card_of(i, round, expected) ||
		    memcmp(cards[i].bytes, expected, cards[i].size))
			return false;
	return true;
}

static void *
play(void *arg)
{
	struct player *player = arg;
	unsigned char card[100 * ROUNDS * NODES];
	struct stn_card cards[NODES];
	struct stn_why why;

	player->right = true;
	for (uint32_t i = 0; i < ROUNDS && player->right; i++) {
		size_t size = card_of(player->rank, i, card);

		player->right =
			!stn_wireup_exchange(player->wireup, player->rank, card,
					     size, cards, &why) &&
			right_cards(cards, i);
	}
	player->right =
		!stn_wireup_barrier(player->wireup, &why) && player->right;
	return NULL;
}

static void
begin(struct player *players, void *(*part)(void *))
{
	for (uint32_t i = 0; i < NODES; i++) {
		players[i].rank = i;
		pthread_create(&players[i].thread, NULL, part, &players[i]);
	}
}

static bool
end(struct player *players)
{
	bool right = true;

	for (uint32_t i = 0; i < NODES; i++) {
		pthread_join(players[i].thread, NULL);
		stn_wireup_destroy(players[i].wireup);
		right = right && players[i].right;
	}
	return right;
}

static void
test_threads(void)
{
	struct stn_wireup **wireups = stn_wireup_threads(NODES);
	struct player players[NODES];

	for (uint32_t i = 0; i < NODES; i++)
		players[i].wireup = wireups[i];
	free(wireups);
	begin(players, play);
	tap_ok(end(players), "threads show each other cards in many rounds");
}

/* The launcher's ends of the nodes' sockets. */
struct ends {
	struct stn_wireup_server server;
	int ours[NODES], theirs[NODES];
	struct stn_frame_in frames[NODES];
};

static void
tell_all(void *arg, enum stn_frame_type type, const void *body, size_t size)
{
	const struct ends *ends = arg;

	for (uint32_t i = 0; i < NODES; i++)
		if (stn_frame_write(ends->ours[i], type, body, size))
			abort();
}

/* All that one has said so far. */
static enum stn_err
hear(struct ends *ends, uint32_t rank)
{
	struct stn_frame_in *frame = &ends->frames[rank];
	enum stn_err err = STN_OK;
	char byte;

	while (!err &&
	       recv(ends->ours[rank], &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 1) {
		err = stn_frame_read(frame, ends->ours[rank]);
		if (!err && stn_frame_whole(frame))
			err = stn_wireup_server_take(&ends->server, rank,
						     frame);
	}
	return err;
}

static void
open_server(struct ends *ends)
{
	memset(ends, 0, sizeof(*ends));
	if (stn_wireup_server_init(&ends->server, NODES, tell_all, ends))
		abort();
	for (uint32_t i = 0; i < NODES; i++) {
		int pair[2];

		if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
			abort();
		ends->ours[i] = pair[0];
		ends->theirs[i] = pair[1];
	}
}

static void
close_server(struct ends *ends)
{
	for (uint32_t i = 0; i < NODES; i++) {
		close(ends->ours[i]);
		stn_frame_drop(&ends->frames[i]);
	}
	stn_wireup_server_fini(&ends->server);
}

static void
test_sockets(void)
{
	struct player players[NODES];
	enum stn_err err = STN_OK;
	struct ends ends;

	open_server(&ends);
	for (uint32_t i = 0; i < NODES; i++)
		players[i].wireup = stn_wireup_socket(ends.theirs[i], NODES);
	begin(players, play);
	for (uint32_t i = 0; !err && !ends.server.finished; i++)
		err = hear(&ends, i % NODES);
	tap_ok(!err && ends.server.rounds == ROUNDS, "a launcher deals them");
	tap_ok(end(players), "and its nodes get them");
	close_server(&ends);
}

static enum stn_err
say(struct ends *ends, uint32_t rank, enum stn_frame_type type)
{
	size_t size = type == STN_FRAME_CARD ? 5 : 0;
	enum stn_err err =
		stn_frame_write(ends->theirs[rank], type, "hello", size);

	return err ? err : hear(ends, rank);
}

/*
 * What nodes say in turn, such as "c0 a1": node 0 a card, node 1 that it has
 * arrived. Only the last of it may be refused.
 */
static enum stn_err
script(const char *at)
{
	enum stn_err err = STN_OK;
	struct ends ends;

	open_server(&ends);
	for (; !err && at[0]; at += at[2] ? 3 : 2) {
		err = say(&ends, (uint32_t)(at[1] - '0'),
			  at[0] == 'c' ? STN_FRAME_CARD : STN_FRAME_ARRIVED);
		if (err && at[2])
			err = STN_IO; /* too early */
	}
	for (uint32_t i = 0; i < NODES; i++)
		close(ends.theirs[i]);
	close_server(&ends);
	return err;
}

static void
test_order(void)
{
	tap_ok(!script("c0 c1 c2 c1 c0 c2 a2 a1 a0"),
	       "a node shows a card in each round, and arrives");
	tap_ok(script("c0 c1 c0") == STN_MALFORMED,
	       "it doesn't show two in one");
	tap_ok(script("a0") == STN_MALFORMED, "or arrive before the first");
	tap_ok(script("c0 c1 c2 c0 a0") == STN_MALFORMED,
	       "or in the middle of one");
	tap_ok(script("c0 c1 c2 a0 c0") == STN_MALFORMED,
	       "or go on after it has arrived");
}

/* A node of two clusters, {0, 1} and {2}, that leaves its mark in a queue. */
static void *
mark(void *arg)
{
	struct player *player = arg;
	struct stn_topology topology = { .nodes = NODES, .clusters = 2 };
	struct stn_why why;

	player->right = !stn_queues_share(player->wireup, player->rank,
					  &topology, &why) &&
			topology.share == topology.shares &&
			topology.shares == (player->rank < 2 ? 2 : 1);
	if (player->right)
		atomic_fetch_add(&topology.queues[3].turns, 1);
	player->right = !stn_wireup_barrier(player->wireup, &why) &&
			player->right &&
			atomic_load(&topology.queues[3].turns) == NODES;
	return NULL;
}

static void
test_queues(void)
{
	struct stn_wireup **wireups = stn_wireup_threads(NODES);
	struct player players[NODES];

	for (uint32_t i = 0; i < NODES; i++)
		players[i].wireup = wireups[i];
	free(wireups);
	begin(players, mark);
	tap_ok(end(players), "nodes of one host share links, and all of them");
}

int
main(void)
{
	tap_begin();
	test_threads();
	test_sockets();
	test_order();
	test_queues();
	return tap_end();
}
