#include <time.h>
#include <unistd.h>

#define STN_CHECK
#include "tasklib.h"

static int32_t
nap(void)
{
	struct timespec leaf = { 0, 5000000 };

	nanosleep(&leaf, NULL);
	return (int32_t)getpid();
}

STN_TASK_DEFINE(long, tasklib_fib, int, n)
{
	long x, y;

	if (n < 2)
		return n;
	STN_SPAWN(tasklib_fib, n - 1);
	y = STN_CALL(tasklib_fib, n - 2);
	x = STN_SYNC(tasklib_fib);
	return x + y;
}

STN_TASK_VOID_DEFINE(tasklib_fill, struct stn_out, to, int32_t, first)
{
	int32_t *at = (int32_t *)to.at;

	nap();
	for (uint32_t i = 0; i < to.row_bytes / sizeof(*at); i++)
		at[i] = first + (int32_t)i;
}

STN_TASK_DEFINE(int32_t, tasklib_where)
{
	return nap();
}

STN_TASK(int32_t, tasklib_private)
{
	return nap();
}

void
tasklib_spread(STN_FRAME, int count)
{
	for (int i = 0; i < count; i++)
		STN_SPAWN(tasklib_where);
}

int
tasklib_count_here(STN_FRAME, int count)
{
	int here = 0;

	for (int i = 0; i < count; i++)
		STN_SPAWN(tasklib_private);
	for (int i = 0; i < count; i++)
		here += STN_SYNC(tasklib_private) == (int32_t)getpid();
	return here;
}
