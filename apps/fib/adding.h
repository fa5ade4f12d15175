/*
 * adding.h: Fibonacci numbers the quick way, to check the slow ones with.
 */
#ifndef FIB_ADDING_H
#define FIB_ADDING_H

#define FIB_MOST 90 /* the last one that fits a long is the 92nd */

static inline long
fib_by_adding(long n)
{
	long x = 0, y = 1, sum;

	for (; n > 0; n--) {
		sum = x + y;
		x = y;
		y = sum;
	}
	return x;
}

#endif
