/* tasklib_more.c: another file of tasklib_user.c's program. */
#define STN_CHECK
#include "tasklib.h"

void spawn_fibs(STN_FRAME, int count);

STN_TASK(long, more_fibs, int, count)
{
	long total = 0;

	for (int i = 0; i < count; i++)
		STN_SPAWN(tasklib_fib, i);
	for (int i = 0; i < count; i++)
		total += STN_SYNC(tasklib_fib);
	return total;
}

void
spawn_fibs(STN_FRAME, int count)
{
	for (int i = 0; i < count; i++)
		STN_SPAWN(tasklib_fib, STN_CALL(more_fibs, i) < 0 ? 0 : i);
}
