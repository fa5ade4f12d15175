/*
 * weights.c: the constants are guesses for a processor of 90 MHz as in paper
 * 001: 1.5 us for a pair of particles (20 operations), 0.4 ms for a translation
 * of an expansion (an order of about 6), 60 us for the expansions of a
 * particle.
 */
#include "bench/fmm_cost/weights.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node/random.h"

#define PAIR_NS 1500
#define TRANSLATION_NS 400000
#define PARTICLE_NS 60000

#define SIGMA 0.25
#define PLUMMER 0.1

static const char *const kinds[] = { "uniform", "gaussian", "corner",
				     "plummer" };
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static struct {
	long kind, depth, particles;
	uint64_t *weights;
} made;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

long
weights_kind(const char *name)
{
	for (size_t i = 0; i < KINDS; i++)
		if (!strcmp(kinds[i], name))
			return (long)i;
	return -1;
}

static double
draw(struct stn_random *random)
{
	return ((double)(stn_random_next(random) >> 11) + 0.5) * 0x1p-53;
}

static double
draw_normal(struct stn_random *random)
{
	return sqrt(-2 * log(draw(random))) * cos(2 * M_PI * draw(random));
}

static void
draw_sphere(struct stn_random *random, double at[3])
{
	double radius = PLUMMER / sqrt(pow(draw(random), -2.0 / 3) - 1);
	double z = 2 * draw(random) - 1, angle = 2 * M_PI * draw(random);
	double flat = sqrt(1 - z * z);

	at[0] = 0.5 + radius * flat * cos(angle);
	at[1] = 0.5 + radius * flat * sin(angle);
	at[2] = 0.5 + radius * z;
}

static void
draw_particle(struct stn_random *random, long kind, double at[3])
{
	double centre = kind == 2 ? 0.25 : 0.5;
	bool inside = false;

	while (!inside) {
		inside = true;
		if (kind == 3)
			draw_sphere(random, at);
		for (int i = 0; i < 3; i++) {
			if (kind < 3)
				at[i] = kind ? centre + SIGMA * draw_normal(
									random)
					     : draw(random);
			inside &= at[i] >= 0 && at[i] < 1;
		}
	}
}

/* The Morton number of a cell: the bits of x, y and z in turn. */
static uint64_t
morton(const long cell[3], long depth)
{
	uint64_t number = 0;

	for (long bit = depth - 1; bit >= 0; bit--)
		for (int i = 0; i < 3; i++)
			number = number << 1 | ((uint64_t)cell[i] >> bit & 1);
	return number;
}

static void
unmorton(uint64_t number, long depth, long cell[3])
{
	cell[0] = cell[1] = cell[2] = 0;
	for (long bit = 3 * depth - 1; bit >= 0; bit--)
		cell[2 - bit % 3] =
			cell[2 - bit % 3] << 1 | (long)(number >> bit & 1);
}

/* What one other cell costs: pairs if it is a neighbour, else a translation. */
static uint64_t
cost_of(const uint32_t *counts, uint64_t number, const long cell[3],
	const long other[3], long depth)
{
	uint32_t there = counts[morton(other, depth)];

	if (!there)
		return 0;
	for (int i = 0; i < 3; i++)
		if (labs(cell[i] - other[i]) > 1)
			return TRANSLATION_NS;
	return (uint64_t)counts[number] * there * PAIR_NS;
}

/* All children of the neighbours of the cell's parent. */
static uint64_t
weigh(const uint32_t *counts, uint64_t number, long depth)
{
	long size = 1L << depth, cell[3], other[3], low[3], high[3];
	uint64_t sum = counts[number] * (uint64_t)PARTICLE_NS;

	unmorton(number, depth, cell);
	for (int i = 0; i < 3; i++) {
		low[i] = cell[i] / 2 * 2 - 2;
		low[i] = low[i] < 0 ? 0 : low[i];
		high[i] = cell[i] / 2 * 2 + 4;
		high[i] = high[i] > size ? size : high[i];
	}
	for (other[0] = low[0]; other[0] < high[0]; other[0]++)
		for (other[1] = low[1]; other[1] < high[1]; other[1]++)
			for (other[2] = low[2]; other[2] < high[2]; other[2]++)
				sum += cost_of(counts, number, cell, other,
					       depth);
	return sum;
}

static void
make(long kind, long depth, long particles)
{
	uint64_t cells = UINT64_C(1) << 3 * depth;
	uint32_t *counts = calloc(cells, sizeof(counts[0]));
	struct stn_random random;

	made.weights = calloc(cells, sizeof(made.weights[0]));
	if (!counts || !made.weights) {
		fputs("fmm_cost: out of memory\n", stderr);
		exit(EXIT_FAILURE);
	}
	stn_random_seed(&random, 1, (uint64_t)kind);
	for (long i = 0; i < particles; i++) {
		double at[3];
		long cell[3];

		draw_particle(&random, kind, at);
		for (int d = 0; d < 3; d++)
			cell[d] = (long)(at[d] * (double)(1L << depth));
		counts[morton(cell, depth)]++;
	}
	for (uint64_t i = 0; i < cells; i++)
		made.weights[i] = counts[i] ? weigh(counts, i, depth) : 0;
	free(counts);
	made.kind = kind;
	made.depth = depth;
	made.particles = particles;
}

const uint64_t *
weights_of(long kind, long depth, long particles)
{
	pthread_mutex_lock(&lock);
	if (!made.weights)
		make(kind, depth, particles);
	pthread_mutex_unlock(&lock);
	return made.weights;
}
