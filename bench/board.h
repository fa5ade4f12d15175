/*
 * board.h: n-queens as in Cilk's example, which most runtimes measure. A board
 * is an array of the queens' columns. It is copied for each call and checked as
 * a whole for each queen put on it.
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
 * board_put: puts a queen into row @row. Returns true if no queen on the board
 * attacks another.
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
