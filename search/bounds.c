#include "search/bounds.h"

#include <stdlib.h>
#include <string.h>

static uint32_t
chain_of(uint64_t number)
{
	return (uint32_t)((number * 0x9e3779b97f4a7c15) >> 58);
}

_Static_assert(STN_BOUNDS_CHAINS == 1 << (64 - 58), "chain_of has 6 bits");

static void
bound_free(struct stn_bound_state *bound)
{
	free(bound->witness);
	free(bound->peers);
	free(bound);
}

void
stn_bounds_fini(struct stn_bounds *bounds)
{
	struct stn_bound_state *bound;

	while ((bound = stn_bounds_next(bounds, NULL))) {
		bounds->chains[chain_of(bound->number)] = bound->next;
		bound_free(bound);
	}
	free(bounds->chains);
}

struct stn_bound_state *
stn_bounds_find(const struct stn_bounds *bounds, uint64_t number)
{
	/* Both pair with the releases in stn_bounds_get. */
	struct stn_bound_state **chains =
		__atomic_load_n(&bounds->chains, __ATOMIC_ACQUIRE);
	struct stn_bound_state *bound =
		chains ? __atomic_load_n(&chains[chain_of(number)],
					 __ATOMIC_ACQUIRE)
		       : NULL;

	while (bound && bound->number != number)
		bound = bound->next;
	return bound;
}

/* Returns false if there is no memory. */
static bool
make_chains(struct stn_bounds *bounds)
{
	struct stn_bound_state **chains;

	if (bounds->chains)
		return true;
	chains = calloc(STN_BOUNDS_CHAINS, sizeof(chains[0]));
	/* Pairs with the acquire in stn_bounds_find. */
	__atomic_store_n(&bounds->chains, chains, __ATOMIC_RELEASE);
	return chains;
}

struct stn_bound_state *
stn_bounds_get(struct stn_bounds *bounds, uint64_t number)
{
	struct stn_bound_state *bound = stn_bounds_find(bounds, number);
	struct stn_bound_state **chain;

	if (bound)
		return bound;
	if (!make_chains(bounds))
		return NULL;
	chain = &bounds->chains[chain_of(number)];
	bound = calloc(1, sizeof(*bound));
	if (!bound)
		return NULL;
	bound->peers = calloc(bounds->nodes, sizeof(bound->peers[0]));
	if (!bound->peers) {
		free(bound);
		return NULL;
	}
	bound->number = number;
	bound->best.value = stn_bound_is_max(number) ? INT64_MIN : INT64_MAX;
	bound->next = *chain;
	/* Pairs with the acquire in stn_bounds_find. */
	__atomic_store_n(chain, bound, __ATOMIC_RELEASE);
	return bound;
}

struct stn_bound_state *
stn_bounds_next(const struct stn_bounds *bounds,
		const struct stn_bound_state *bound)
{
	uint32_t chain = bound ? chain_of(bound->number) + 1 : 0;

	if (!bounds->chains)
		return NULL;
	if (bound && bound->next)
		return bound->next;
	for (; chain < STN_BOUNDS_CHAINS; chain++)
		if (bounds->chains[chain])
			return bounds->chains[chain];
	return NULL;
}

bool
stn_bound_beats(const struct stn_bound_state *bound,
		const struct stn_candidate *candidate)
{
	int64_t best = bound->best.value;

	if (candidate->value == best)
		return bound->found && candidate->found &&
		       candidate->key < bound->best.key;
	return stn_bound_is_max(bound->number) ? candidate->value > best
					       : candidate->value < best;
}

enum stn_err
stn_bound_take(struct stn_bound_state *bound,
	       const struct stn_candidate *candidate)
{
	void *witness = malloc(candidate->bytes + 1);

	if (!witness)
		return STN_NO_MEMORY;
	if (candidate->bytes)
		memcpy(witness, candidate->witness, candidate->bytes);
	free(bound->witness);
	bound->witness = witness;
	bound->bytes = candidate->bytes;
	bound->found = candidate->found;
	bound->finder = candidate->finder;
	bound->version++;
	/*
	 * The key first. Both pair with the loads in stn_incumbent_ties, which
	 * read them in the other order.
	 */
	__atomic_store_n(&bound->best.key, candidate->key, __ATOMIC_RELEASE);
	__atomic_store_n(&bound->best.value, candidate->value,
			 __ATOMIC_RELEASE);
	return STN_OK;
}
