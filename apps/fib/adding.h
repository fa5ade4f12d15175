/*
 * adding.h: Fibonacci numbers in n additions, to check the recursive programs.
 */
#ifndef FIB_ADDING_H
#define FIB_ADDING_H

#define FIB_MOST 90 /* the 92nd is the last that fits a long */

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
