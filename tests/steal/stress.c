/*
 * stress: trees of small tasks, with pauses in random places, so that thieves
 * come at any moment of a spawn or a sync.
 *
 *	stress [ROUNDS [DEPTH [KIB]]]
 *
 * Each round is a tree of 2^(DEPTH+1) - 1 tasks that spawn and sync two
 * children in all possible orders. Fails if a round counts another number of
 * tasks, or if the process holds KIB (1024) KiB more memory after the last
 * round than after half of them. The first rounds may end before another node
 * connects, which takes some MB. The limit leaves room for the threads' stacks.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <sateen.h>

static uint64_t
mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/* Once in 4096 tasks spins for some microseconds or yields the processor. */
static void
pause_sometimes(uint64_t random)
{
	volatile int spin = (int)(random >> 12 & 0xffff);

	if (random & 0xfff)
		return;
	if (random >> 28 & 1)
		sched_yield();
	else
		while (spin > 0)
			spin = spin - 1;
}

/* Returns the number of tasks in its subtree, itself included. */
STN_TASK(uint64_t, grow, uint64_t, seed, int, depth)
{
	uint64_t random = mix(seed), count = 1;

	pause_sometimes(random);
	if (depth == 0)
		return 1;
	switch (random >> 40 & 3) {
	case 0: /* spawn and sync, twice */
		STN_SPAWN(grow, random, depth - 1);
		count += STN_SYNC(grow);
		STN_SPAWN(grow, random + 1, depth - 1);
		return count + STN_SYNC(grow);
	case 1: /* spawn and call */
		STN_SPAWN(grow, random, depth - 1);
		count += STN_CALL(grow, random + 1, depth - 1);
		pause_sometimes(mix(count));
		return count + STN_SYNC(grow);
	}
	STN_SPAWN(grow, random, depth - 1);
	STN_SPAWN(grow, random + 1, depth - 1);
	pause_sometimes(mix(count));
	count += STN_SYNC(grow);
	return count + STN_SYNC(grow);
}

static long
resident_kib(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long size, resident = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%ld %ld", &size, &resident) != 2)
		resident = 0;
	fclose(file);
	return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

STN_MAIN(argc, argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 2;
	int depth = argc > 2 ? atoi(argv[2]) : 20;
	uint64_t expected = (2ull << depth) - 1;
	long more_kib = argc > 3 ? atol(argv[3]) : 1024;
	long half_kib = 0, last_kib;

	for (long round = 0; round < rounds; round++) {
		uint64_t count = STN_CALL(grow, (uint64_t)round, depth);

		if (count != expected) {
			fprintf(stderr, "stress: %llu tasks, not %llu\n",
				(unsigned long long)count,
				(unsigned long long)expected);
			return 1;
		}
		if (round == (rounds - 1) / 2)
			half_kib = resident_kib();
	}
	last_kib = resident_kib();
	printf("%llu tasks, %ld KiB after half of them, %ld at the end\n",
	       (unsigned long long)expected * (unsigned long long)rounds,
	       half_kib, last_kib);
	if (last_kib > half_kib + more_kib) {
		fprintf(stderr, "stress: memory has grown\n");
		return 1;
	}
	return 0;
}
