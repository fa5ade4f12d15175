/*
 * random.h: a small generator of random numbers, seeded, so that runs repeat.
 * SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
 * generators", OOPSLA 2014). Not for secrets; one thread at a time.
 */
#ifndef STN_STEAL_RANDOM_H
#define STN_STEAL_RANDOM_H

#include <stdint.h>

struct stn_random {
	uint64_t state;
};

static inline uint64_t
stn_random_next(struct stn_random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/* stn_random_seed: streams of different @stream are unrelated. */
static inline void
stn_random_seed(struct stn_random *random, uint64_t seed, uint64_t stream)
{
	random->state = seed;
	random->state = stn_random_next(random) ^ (stream << 1);
	random->state = stn_random_next(random);
}

/* stn_random_below: uniform in [0, bound); the bias is under 2^-32. */
static inline uint32_t
stn_random_below(struct stn_random *random, uint32_t bound)
{
	return (uint32_t)(((stn_random_next(random) >> 32) * bound) >> 32);
}

#endif
