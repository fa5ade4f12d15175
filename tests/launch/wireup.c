/*
 * wireup.c: nodes exchange cards in many rounds: as threads of one process, and
 * through sockets to a launcher. The launcher's side rejects frames in a wrong
 * order. Nodes share the state of links.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/tap.h"
#include "launch/link_queues.h"
#include "launch/wireup/wireup_server.h"
#include "launch/wireup/wireup_socket.h"
#include "launch/wireup/wireup_threads.h"

#define NODES 3
#define ROUNDS 50

struct player {
	pthread_t thread;
	struct stn_wireup *wireup;
	uint32_t rank;
	bool right; /* all cards and the barrier were right */
};

/* Makes cards of many sizes; the last one is empty. */
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
	tap_ok(end(players), "threads exchange cards in many rounds");
}

/* The launcher's side: both ends of the nodes' sockets. */
struct ends {
	struct stn_wireup_server server;
	int ours[NODES], theirs[NODES];
	struct stn_bytes received[NODES];
};

static void
tell_all(void *arg, enum stn_wireup_frame_type type, const void *body,
	 size_t size)
{
	const struct ends *ends = arg;

	for (uint32_t i = 0; i < NODES; i++)
		if (stn_wireup_frame_send(ends->ours[i], type, body, size))
			abort();
}

/* Passes all frames that a node has sent so far to the server. */
static enum stn_err
hear(struct ends *ends, uint32_t rank)
{
	struct stn_bytes *received = &ends->received[rank];
	struct stn_wireup_frame frame;
	enum stn_err err = STN_OK;
	char byte;

	while (!err &&
	       recv(ends->ours[rank], &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 1) {
		err = stn_bytes_read(received, ends->ours[rank]);
		while (!err &&
		       !stn_wireup_frame_parse(received, STN_WIREUP_FROM_NODE,
					       &frame)) {
			frame.head.rank = rank;
			err = stn_wireup_server_take(&ends->server, &frame);
			stn_wireup_frame_drop(received, &frame);
		}
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
		stn_bytes_fini(&ends->received[i]);
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
	tap_ok(!err && ends.server.rounds == ROUNDS,
	       "a launcher sends all cards in each round");
	tap_ok(end(players), "and its nodes receive them");
	close_server(&ends);
}

static enum stn_err
say(struct ends *ends, uint32_t rank, enum stn_wireup_frame_type type)
{
	size_t size = type == STN_WIREUP_CARD ? 5 : 0;
	enum stn_err err =
		stn_wireup_frame_send(ends->theirs[rank], type, "hello", size);

	return err ? err : hear(ends, rank);
}

/*
 * Sends frames of nodes in turn. In "c0 a1", node 0 sends a card, and node 1
 * sends ARRIVED. Only the last frame may be rejected.
 */
static enum stn_err
script(const char *at)
{
	enum stn_err err = STN_OK;
	struct ends ends;

	open_server(&ends);
	for (; !err && at[0]; at += at[2] ? 3 : 2) {
		err = say(&ends, (uint32_t)(at[1] - '0'),
			  at[0] == 'c' ? STN_WIREUP_CARD : STN_WIREUP_ARRIVED);
		if (err && at[2])
			err = STN_IO; /* rejected too early */
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
	       "a node sends a card in each round, then ARRIVED");
	tap_ok(script("c0 c1 c0") == STN_MALFORMED,
	       "two cards in a round are rejected");
	tap_ok(script("a0") == STN_MALFORMED,
	       "and ARRIVED before the first round");
	tap_ok(script("c0 c1 c2 c0 a0") == STN_MALFORMED,
	       "and ARRIVED during a round");
	tap_ok(script("c0 c1 c2 a0 c0") == STN_MALFORMED,
	       "and a card after ARRIVED");
}

/* A node of the clusters {0, 1} and {2}; each node counts in the same queue. */
static void *
mark(void *arg)
{
	struct player *player = arg;
	struct stn_topology topology = { .nodes = NODES, .clusters = 2 };
	struct stn_why why;

	player->right = !stn_link_queues_map(player->wireup, player->rank,
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
	tap_ok(end(players), "nodes of one host share the state of all links");
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
