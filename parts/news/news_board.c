#include "parts/news/news_board.h"

#include <stdlib.h>

#define WORD 64

static bool
board_has(const struct stn_board *board, uint32_t number)
{
	return number < board->nodes &&
	       board->words[number / WORD] >> number % WORD & 1;
}

enum stn_err
stn_board_init(struct stn_board *board, uint32_t nodes, bool all)
{
	*board = (struct stn_board){ .nodes = nodes };
	board->words = calloc(nodes / WORD + 1, sizeof(board->words[0]));
	if (!board->words)
		return STN_NO_MEMORY;
	for (uint32_t i = 0; all && i < nodes; i++)
		stn_board_put(board, i, true);
	return STN_OK;
}

void
stn_board_fini(struct stn_board *board)
{
	free(board->words);
	board->words = NULL;
}

void
stn_board_put(struct stn_board *board, uint32_t number, bool registered)
{
	uint64_t bit = 1ull << number % WORD;

	if (board_has(board, number) == registered)
		return;
	board->words[number / WORD] ^= bit;
	board->registered += registered ? 1 : UINT32_MAX; /* or one less */
}

/* The lowest bit of the word but for the @skip lowest ones. */
static unsigned
bit_after(uint64_t word, unsigned skip)
{
	while (skip--)
		word &= word - 1;
	return (unsigned)__builtin_ctzll(word);
}

uint32_t
stn_board_pick(const struct stn_board *board, uint32_t but,
	       struct stn_random *random)
{
	bool left_out = board_has(board, but);
	uint32_t choices = board->registered - left_out, skip;

	if (!choices)
		return STN_NOBODY;
	skip = stn_random_below(random, choices);
	for (uint32_t i = 0;; i++) {
		uint64_t word = board->words[i];
		unsigned count;

		if (left_out && but / WORD == i)
			word &= ~(1ull << but % WORD);
		count = (unsigned)__builtin_popcountll(word);
		if (skip < count)
			return i * WORD + bit_after(word, skip);
		skip -= count;
	}
}
