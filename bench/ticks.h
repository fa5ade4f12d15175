/*
 * ticks.h: the cheapest clock of the machine, for times of some nanoseconds:
 * the processor's time stamp counter on x86, nanoseconds elsewhere.
 */
#ifndef BENCH_TICKS_H
#define BENCH_TICKS_H

#include <stdint.h>
#include <time.h>

static inline uint64_t
ticks_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline uint64_t
ticks_now(void)
{
#if defined(__x86_64__) || defined(__i386__)
	return __builtin_ia32_rdtsc();
#else
	return ticks_clock_ns();
#endif
}

/* Measures the ticks in a nanosecond; takes 20 ms. */
static inline double
ticks_per_ns(void)
{
	uint64_t ns = ticks_clock_ns(), ticks = ticks_now(), passed;

	do
		passed = ticks_clock_ns() - ns;
	while (passed < 20000000);
	return (double)(ticks_now() - ticks) / (double)passed;
}

/* The shortest time between two readings of the clock, in nanoseconds. */
static inline double
ticks_cost_ns(double ticks_a_ns)
{
	uint64_t least = UINT64_MAX, last = ticks_now();

	for (unsigned i = 0; i < 1000; i++) {
		uint64_t now = ticks_now();

		if (now - last < least)
			least = now - last;
		last = now;
	}
	return (double)least / ticks_a_ns;
}

#endif
