/*
 * chunks.c: the sizes of the chunks of fac2 for 103 parts and three nodes,
 * compared with the formula of Hummel, Schonberg and Flynn: ceil(R / 2P); and
 * the weights of nodes.
 */
#include <stdlib.h>

#include "parts/moves/chunks.h"
#include "tests/tap.h"

#define NODES 3

static double
two(const struct stn_chunks *chunks)
{
	(void)chunks;
	return 2;
}

static bool
is_near(double a, double b)
{
	return a > b - 1e-9 && a < b + 1e-9;
}

/* Nodes whose speeds are 1 and 3; that of the third becomes known later. */
static bool
weigh(struct stn_chunks *chunks)
{
	bool right = true;

	chunks->nodes = chunks->ranks = NODES;
	for (uint32_t i = 0; i < NODES; i++)
		chunks->of[i] = (struct stn_chunks_node){ .weight = 1 };
	chunks->of[0].parts = chunks->of[0].ns = 3;
	chunks->of[1].parts = 9;
	chunks->of[1].ns = 3;
	stn_chunks_weigh(chunks, false);
	for (uint32_t i = 0; i < NODES; i++)
		right = right && is_near(chunks->of[i].weight, 1);
	chunks->of[2] = chunks->of[0];
	stn_chunks_weigh(chunks, false);
	return right && is_near(chunks->of[0].weight, 0.6) &&
	       is_near(chunks->of[1].weight, 1.8);
}

int
main(void)
{
	static const double expected[] = { 18, 18, 18, 9, 9, 9, 4, 4, 4, 2 };
	struct stn_chunks *chunks =
		calloc(1, sizeof(*chunks) + NODES * sizeof(chunks->of[0]));
	bool right = chunks;

	tap_begin();
	if (chunks) {
		chunks->nodes = NODES;
		chunks->ungranted = 103;
	}
	for (size_t i = 0; right && i < sizeof(expected) / sizeof(double);
	     i++) {
		double size = stn_chunks_batch(chunks, two);

		right = size >= expected[i] && size <= expected[i];
		chunks->ungranted -= (uint32_t)size;
	}
	tap_ok(right, "chunks of a batch are equal, and rounded up");
	tap_ok(chunks && weigh(chunks),
	       "weights are equal until all speeds are known");
	free(chunks);
	return tap_end();
}
