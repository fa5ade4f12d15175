/*
 * chunks.c: the sizes of the chunks of fac2 for 103 parts and three nodes,
 * compared with the formula of Hummel, Schonberg and Flynn: ceil(R / 2P).
 */
#include <stdlib.h>

#include "parts/chunks.h"
#include "tests/tap.h"

#define NODES 3

static double
two(const struct stn_chunks *chunks)
{
	(void)chunks;
	return 2;
}

int
main(void)
{
	static const double expected[] = { 18, 18, 18, 9, 9, 9, 4, 4, 4, 2 };
	struct stn_chunks *chunks = calloc(1, sizeof(*chunks));
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
	free(chunks);
	return tap_end();
}
