/*
 * random.h: a random generator that yields the same numbers on every machine.
 */
#ifndef APP_RANDOM_H
#define APP_RANDOM_H

#include <stdint.h>

#define APP_SEED_MOST 1000000000 /* the largest seed on command lines */

/* A generator. The caller sets the state to the seed. One thread at a time. */
struct app_random {
	uint64_t state;
};

#define APP_RANDOM_STEP 0x9e3779b97f4a7c15

/*
 * app_mix: each bit of x affects all bits of the result. With APP_RANDOM_STEP
 * as the difference of successive x this is splitmix64, by Sebastiano Vigna.
 */
static inline uint64_t
app_mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

/* app_random: a random number from 0 to @below - 1. @below is 1 to 2^32. */
static inline uint64_t
app_random(struct app_random *random, uint64_t below)
{
	uint64_t z = app_mix(random->state += APP_RANDOM_STEP);

	return (z >> 32) * below >> 32; /* the high bits are the best */
}

#endif
