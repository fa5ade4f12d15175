/*
 * impure: a Sateen program with tasks that are not pure, for pure.t.
 *
 *	impure none	all tasks are pure
 *	impure result	a task's result counts its calls
 *	impure buffer	a task counts its calls in byte 5 of an inout buffer
 *	impure inner	a pure task spawns one whose result counts its calls
 *	impure late	the 65th call of a task is not pure
 */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <sateen.h>

static atomic_int calls;

STN_TASK(long, count, int, from)
{
	return from + ((long)++calls << 8);
}

STN_TASK(long, twice, int, number)
{
	return 2 * number;
}

STN_TASK_VOID(fill, int, number, struct stn_inout, text)
{
	char *to = text.at;

	to[0]++;
	to[1] = (char)number;
	to[5] = (char)++calls;
}

STN_TASK_VOID(append, struct stn_inout, text)
{
	char *to = text.at;

	to[0]++;
}

STN_TASK(long, outer, int, depth)
{
	long sum;

	if (!depth)
		return 0;
	STN_SPAWN(twice, depth);
	STN_SPAWN(outer, depth - 1);
	STN_SPAWN(count, depth);
	sum = STN_SYNC(count);
	sum += STN_SYNC(outer);
	return sum + STN_SYNC(twice);
}

STN_TASK(long, sum_to, int, number)
{
	long sum;

	if (!number)
		return 0;
	STN_SPAWN(sum_to, number - 1);
	sum = STN_SYNC(sum_to);
	return sum + number;
}

STN_TASK(int, rarely, int, number)
{
	return number == 64 ? ++calls : number;
}

static long
run_none(STN_FRAME)
{
	char text[8] = "0123456";
	long sum = 0;

	for (int i = 0; i < 200; i++) {
		STN_SPAWN(append, STN_INOUT(text, 8));
		STN_SYNC(append);
	}
	STN_SPAWN(sum_to, 100);
	sum = STN_SYNC(sum_to);
	return sum + (unsigned char)text[0];
}

STN_MAIN(argc, argv)
{
	const char *what = argc > 1 ? argv[1] : "none";
	char text[8] = "0123456";
	long sum = 0;

	if (!strcmp(what, "result")) {
		STN_SPAWN(count, 1);
		sum = STN_SYNC(count);
	} else if (!strcmp(what, "buffer")) {
		STN_SPAWN(fill, 1, STN_INOUT(text, 8));
		STN_SYNC(fill);
	} else if (!strcmp(what, "inner")) {
		STN_SPAWN(outer, 5);
		sum = STN_SYNC(outer);
	} else if (!strcmp(what, "late")) {
		for (int i = 0; i < 100; i++) {
			STN_SPAWN(rarely, i);
			sum += STN_SYNC(rarely);
		}
	} else {
		sum = run_none(STN_PASS_FRAME);
	}
	printf("%s: %ld\n", what, sum);
	return 0;
}
