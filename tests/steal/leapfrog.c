/*
 * leapfrog: which records of its thief a worker runs while it waits with little
 * free stack: parts of the record that it waits for, and no others, which may
 * need any amount of stack.
 *
 * Needs four workers, and a stack of less than 6 MiB. In main's sync worker 0
 * waits for `work`, which another worker has stolen. That one spawns `held` for
 * a third worker, and `part` for worker 0. Then it waits for `held`, and steals
 * `other` from the fourth worker, which runs `far`. So its deque has `inside`,
 * which is no part of `work`.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include <sateen.h>

static pthread_t waiting;
static atomic_bool far_runs, held_runs, part_runs, work_waits,
	other_runs, inside_runs, over;
static atomic_bool part_here, inside_here;

static bool
is_here(void)
{
	return pthread_equal(pthread_self(), waiting);
}

/* Waits until *event has happened, for @ms at most. */
static void
await(atomic_bool *event, int ms)
{
	for (int i = 0; i < 10 * ms && !*event; i++)
		usleep(100);
}

STN_TASK_VOID(inside, int, unused)
{
	(void)unused;
	inside_here = is_here();
	inside_runs = true;
}

STN_TASK_VOID(other, int, unused)
{
	other_runs = true;
	STN_SPAWN(inside, unused);
	await(&inside_runs, 300);
	STN_SYNC(inside);
	over = true;
}

STN_TASK_VOID(far, int, unused)
{
	far_runs = true;
	await(&work_waits, 20000);
	usleep(10000); /* until it does wait */
	STN_SPAWN(other, unused);
	await(&other_runs, 20000);
	STN_SYNC(other);
}

STN_TASK_VOID(held, int, unused)
{
	(void)unused;
	held_runs = true;
	await(&over, 20000);
}

STN_TASK_VOID(part, int, unused)
{
	(void)unused;
	part_here = is_here();
	part_runs = true;
}

STN_TASK_VOID(work, int, unused)
{
	STN_SPAWN(held, unused);
	await(&held_runs, 20000);
	STN_SPAWN(part, unused);
	await(&part_runs, 20000);
	STN_SYNC(part);
	work_waits = true;
	STN_SYNC(held);
}

/* Not inlined: then main's frame would have @room. */
static __attribute__((noinline)) int
wait_deep(STN_FRAME)
{
	volatile char room[3 << 19];

	room[0] = room[sizeof(room) - 1] = 1;
	STN_SPAWN(work, 0);
	await(&held_runs, 20000); /* on the third worker; this one is busy */
	STN_SYNC(work);
	return room[0] + room[sizeof(room) - 1];
}

STN_MAIN(argc, argv)
{
	int deep;

	(void)argc;
	(void)argv;
	waiting = pthread_self();
	STN_SPAWN(far, 0);
	await(&far_runs, 20000);
	deep = wait_deep(STN_PASS_FRAME);
	STN_SYNC(far);
	printf("part: %s, other work: %s\n", part_here ? "here" : "elsewhere",
	       inside_here ? "here" : "elsewhere");
	return deep != 2;
}
