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

/* app_random: a random number from 0 to @below - 1. @below is 1 to 2^32. */
static inline uint64_t
app_random(struct app_random *random, uint64_t below)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15;

	/* splitmix64, by Sebastiano Vigna. Its high bits are the best. */
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	z ^= z >> 31;
	return (z >> 32) * below >> 32;
}

#endif
