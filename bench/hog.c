/*
 * hog.c: a foreign load, for tests and benchmarks: computes on one processor
 * until it is killed.
 *
 *	hog CORE [ON OFF]	computes for the time ON, then sleeps for OFF,
 *				again and again: hog 1 10ms 10ms
 */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "transport/clock.h"
#include "transport/units.h"

static void
compute_until(uint64_t end_ns)
{
	while (stn_machine_now(NULL) < end_ns)
		continue;
}

static void
sleep_for(uint64_t ns)
{
	const struct timespec time = { (time_t)(ns / STN_SECOND_NS),
				       (long)(ns % STN_SECOND_NS) };

	nanosleep(&time, NULL);
}

static int
bind_to(uint64_t core)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(core, &set);
	return sched_setaffinity(0, sizeof(set), &set);
}

int
main(int argc, char **argv)
{
	uint64_t core, on_ns = STN_SECOND_NS, off_ns = 0;

	if ((argc != 2 && argc != 4) ||
	    stn_parse_count(argv[1], 0, CPU_SETSIZE - 1, &core) ||
	    (argc == 4 && (stn_parse_duration(argv[2], &on_ns) ||
			   stn_parse_duration(argv[3], &off_ns)))) {
		fputs("usage: hog CORE [ON OFF]\n", stderr);
		return 2;
	}
	if (bind_to(core)) {
		perror("hog: can't run on this core");
		return EXIT_FAILURE;
	}
	for (;;) {
		compute_until(stn_machine_now(NULL) + on_ns);
		if (off_ns)
			sleep_for(off_ns);
	}
}
