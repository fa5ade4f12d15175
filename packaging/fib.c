/* A user's program: prints a Fibonacci number. */
#include <stdio.h>
#include <stdlib.h>
#include <sateen.h>

STN_TASK(long, fib, int, n)
{
	long x, y;

	if (n < 2)
		return n;
	STN_SPAWN(fib, n - 1);
	y = STN_CALL(fib, n - 2);
	x = STN_SYNC(fib);
	return x + y;
}

STN_MAIN(argc, argv)
{
	printf("%ld\n", STN_CALL(fib, argc > 1 ? atoi(argv[1]) : 20));
	return 0;
}
