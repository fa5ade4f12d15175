/*
 * program.c: a program whose nodes have one service more. It runs until worker
 * 0 of node 0 has slept for a moment, which lets its other nodes work.
 */
#include <stdio.h>

#include <sateen.h>

STN_TASK(int, nap, int, ms)
{
	STN_SLEEP((uint64_t)ms * 1000000);
	return ms;
}

STN_MAIN(argc, argv)
{
	STN_SPAWN(nap, 20);
	printf("slept for %d ms\n", STN_SYNC(nap));
	return 0;
}
