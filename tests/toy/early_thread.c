/*
 * early_thread.c: a program that has a second thread before main, as a library
 * may start one. The thread blocks no signals.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <sateen.h>

static void *
wait_for_ever(void *arg)
{
	for (;;)
		pause();
	return arg;
}

__attribute__((constructor)) static void
start_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, wait_for_ever, NULL))
		abort();
}

STN_TASK(int, twice, int, n)
{
	return 2 * n;
}

STN_MAIN(argc, argv)
{
	int n;

	STN_SPAWN(twice, 21);
	n = STN_SYNC(twice);
	printf("early_thread: %d\n", n);
	return 0;
}
