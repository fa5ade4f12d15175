/*
 * wireup_threads.c: wire-up of nodes that are threads of one process, through a
 * board in shared memory.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/wireup/wireup_ops.h"
#include "launch/wireup/wireup_threads.h"

struct board {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint32_t nodes, users;
	uint32_t arrived, round;
	bool aborted;
	struct stn_card cards[]; /* two sets, each with a card for each node */
};

struct thread_wireup {
	struct stn_wireup base;
	struct board *board;
	uint32_t exchanges;
};

static struct board *
board_of(struct stn_wireup *wireup)
{
	return ((struct thread_wireup *)wireup)->board;
}

/*
 * The set of cards for the next round. Other nodes may still read the cards of
 * the last round. No node reads those of the round before, because each node
 * has begun the last round. So two sets suffice.
 */
static struct stn_card *
next_cards(struct stn_wireup *wireup)
{
	struct thread_wireup *thread = (struct thread_wireup *)wireup;

	return &thread->board->cards[thread->exchanges++ % 2 * wireup->nodes];
}

/* Waits until all nodes are here. The caller holds the lock. */
static enum stn_err
threads_meet(struct board *board, struct stn_why *why)
{
	uint32_t round = board->round;

	if (++board->arrived == board->nodes) {
		board->arrived = 0;
		board->round++;
		pthread_cond_broadcast(&board->changed);
	}
	while (board->round == round && !board->aborted)
		pthread_cond_wait(&board->changed, &board->lock);
	if (board->round == round)
		return stn_because(why, STN_LOST, "the run was aborted");
	return STN_OK;
}

static enum stn_err
threads_exchange(struct stn_wireup *wireup, uint32_t rank, const void *card,
		 size_t size, struct stn_card *cards, struct stn_why *why)
{
	struct board *board = board_of(wireup);
	struct stn_card *shown = next_cards(wireup);
	unsigned char *copy = malloc(size ? size : 1);
	enum stn_err err;

	if (!copy)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	memcpy(copy, card, size);
	pthread_mutex_lock(&board->lock);
	free((void *)shown[rank].bytes);
	shown[rank] = (struct stn_card){ copy, size };
	err = threads_meet(board, why);
	if (!err)
		memcpy(cards, shown, board->nodes * sizeof(cards[0]));
	pthread_mutex_unlock(&board->lock);
	return err;
}

static enum stn_err
threads_barrier(struct stn_wireup *wireup, struct stn_why *why)
{
	struct board *board = board_of(wireup);
	enum stn_err err;

	pthread_mutex_lock(&board->lock);
	err = threads_meet(board, why);
	pthread_mutex_unlock(&board->lock);
	return err;
}

static void
threads_abort(struct stn_wireup *wireup, const char *text)
{
	struct board *board = board_of(wireup);

	pthread_mutex_lock(&board->lock);
	if (!board->aborted)
		fprintf(stderr, "sateen: %s\n", text);
	board->aborted = true;
	pthread_cond_broadcast(&board->changed);
	pthread_mutex_unlock(&board->lock);
}

static void
threads_destroy(struct stn_wireup *wireup)
{
	struct board *board = board_of(wireup);
	uint32_t users;

	pthread_mutex_lock(&board->lock);
	users = --board->users;
	pthread_mutex_unlock(&board->lock);
	free(wireup);
	if (users)
		return;
	for (uint32_t i = 0; i < 2 * board->nodes; i++)
		free((void *)board->cards[i].bytes);
	pthread_cond_destroy(&board->changed);
	pthread_mutex_destroy(&board->lock);
	free(board);
}

static const struct stn_wireup_ops threads_ops = {
	.destroy = threads_destroy,
	.exchange = threads_exchange,
	.barrier = threads_barrier,
	.abort = threads_abort,
};

static struct board *
board_create(uint32_t nodes)
{
	struct board *board;

	board = calloc(1, sizeof(*board) + 2 * nodes * sizeof(board->cards[0]));
	if (!board)
		return NULL;
	board->nodes = nodes;
	pthread_mutex_init(&board->lock, NULL);
	pthread_cond_init(&board->changed, NULL);
	return board;
}

struct stn_wireup **
stn_wireup_threads(uint32_t nodes)
{
	struct stn_wireup **all = calloc(nodes, sizeof(all[0]));
	struct board *board = board_create(nodes);

	for (uint32_t i = 0; all && board && i < nodes; i++) {
		struct thread_wireup *one = calloc(1, sizeof(*one));

		if (!one)
			break;
		one->base = (struct stn_wireup){ &threads_ops, nodes };
		one->board = board;
		board->users++;
		all[i] = &one->base;
	}
	if (all && board && board->users == nodes)
		return all;
	for (uint32_t i = 0; all && i < nodes; i++)
		free(all[i]);
	free(board);
	free(all);
	return NULL;
}
