/*
 * lrs_calls.c: how long the calls take that a node of LRS has stolen.
 */
#include "steal/balancers/lrs_calls.h"

#define SHORT_US 10000 /* a short call takes no longer */

static unsigned
size_of(uint64_t bytes)
{
	unsigned size = 63 - (unsigned)__builtin_clzll(bytes | 1);

	return size < STN_LRS_SIZES ? size : STN_LRS_SIZES - 1;
}

/* Half of the calls are longer, so half of the steps go up. */
static void
learn_typical(struct stn_lrs *lrs, uint64_t took_ns)
{
	if (!lrs->typical_ns)
		lrs->typical_ns = took_ns + 1;
	else if (took_ns > lrs->typical_ns)
		lrs->typical_ns += lrs->typical_ns / 4 + 1;
	else
		lrs->typical_ns -= lrs->typical_ns / 5;
}

void
stn_lrs_ran(void *state, uint64_t bytes, uint64_t took_ns)
{
	struct stn_lrs *lrs = state;
	uint64_t *took = &lrs->took_ns[size_of(bytes)];

	*took = *took ? (*took + took_ns) / 2 : took_ns;
	learn_typical(lrs, took_ns);
}

/*
 * Estimates how long a record will take: as long as records of the same size
 * that this node has run; else, in proportion to the size, as the next smaller
 * ones; else as long as the record has waited.
 */
uint64_t
stn_lrs_will_take(const struct stn_lrs *lrs, const struct stn_loan *loan)
{
	unsigned size = size_of(loan->bytes);

	for (unsigned smaller = 0; smaller <= size; smaller++) {
		uint64_t took_ns = lrs->took_ns[size - smaller];

		if (took_ns > UINT64_MAX >> smaller)
			return UINT64_MAX;
		if (took_ns)
			return took_ns << smaller;
	}
	return loan->age_ns;
}

/* The duration of a typical call that this node has stolen; 0: unknown. */
uint32_t
stn_lrs_call_us(const struct stn_lrs *lrs)
{
	uint64_t us = lrs->typical_ns ? lrs->typical_ns / 1000 + 1 : 0;

	return us < STN_LRS_LONG_US ? (uint32_t)us : STN_LRS_LONG_US;
}

bool
stn_lrs_is_short(uint32_t us)
{
	return us && us <= SHORT_US;
}
