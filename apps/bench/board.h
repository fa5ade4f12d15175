/*
 * board.h: n-queens as in Cilk's example, which most runtimes measure: a board
 * is an array of the queens' columns, copied for each call, and looked at as a
 * whole for each queen that is put on it.
 */
#ifndef BENCH_BOARD_H
#define BENCH_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#define BOARD_MOST 16

struct board {
	int8_t column[BOARD_MOST];
};

/*
 * board_put: puts a queen into row number @row. Is the board still one where
 * no queen sees another?
 */
static inline bool
board_put(struct board *board, int row, int column)
{
	board->column[row] = (int8_t)column;
	for (int i = 0; i < row; i++)
		for (int j = i + 1; j <= row; j++) {
			int apart = board->column[i] - board->column[j];

			if (apart == 0 || apart == j - i || apart == i - j)
				return false;
		}
	return true;
}

#endif
