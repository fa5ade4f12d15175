/*
 * random.h: a small random number generator with a seed, so that runs repeat.
 * SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
 * generators", OOPSLA 2014). Not for secrets. Each generator belongs to one
 * thread at a time.
 */
#ifndef STN_NODE_RANDOM_H
#define STN_NODE_RANDOM_H

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

/*
 * stn_random_seed: begins a sequence. Generators with the same @seed and
 * different @stream are independent.
 */
static inline void
stn_random_seed(struct stn_random *random, uint64_t seed, uint64_t stream)
{
	random->state = seed;
	random->state = stn_random_next(random) ^ (stream << 1);
	random->state = stn_random_next(random);
}

/*
 * stn_random_below: a number from 0 to @bound - 1; all are equally likely but
 * for a bias below 2^-32.
 */
static inline uint32_t
stn_random_below(struct stn_random *random, uint32_t bound)
{
	return (uint32_t)(((stn_random_next(random) >> 32) * bound) >> 32);
}

#endif
