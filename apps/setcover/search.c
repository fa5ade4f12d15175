#include "apps/setcover/search.h"

#include <string.h>

struct search {
	const struct setcover_set *set;
	int sets;
	struct setcover_cover trying, best;
	uint64_t nodes;
};

struct setcover_state
setcover_start(const struct setcover *problem)
{
	struct setcover_state state = { .cost = 0 };

	for (int i = 0; i < problem->elements; i++)
		state.open[i / 64] |= 1ull << i % 64;
	return state;
}

/*
 * Each open element has a price. A set's cost is divided by the number of its
 * open elements, and the price is the lowest of these quotients among the sets
 * that have the element. So no set costs less than the prices of its open
 * elements, and no cover costs less than the prices of all open elements.
 * Prices are integers, rounded down: so the bound is never too high, and it is
 * the same on every machine.
 */
int64_t
setcover_bound(const struct setcover_set *set, int sets,
	       const struct setcover_state *state)
{
	enum { ONE = 1 << 20 };
	int64_t price[SETCOVER_ELEMENTS_MOST], sum = 0;

	memset(price, 0x7f, sizeof(price));
	for (int i = 0; i < sets; i++) {
		int count = setcover_gain(&set[i], state);
		int64_t share = count ? set[i].cost * (int64_t)ONE / count : 0;

		for (int word = 0; word < SETCOVER_WORDS; word++) {
			uint64_t bits =
				set[i].elements[word] & state->open[word];

			for (; bits; bits &= bits - 1) {
				int at = 64 * word + __builtin_ctzll(bits);

				if (share < price[at])
					price[at] = share;
			}
		}
	}
	for (int i = 0; i < SETCOVER_ELEMENTS_MOST; i++)
		if (state->open[i / 64] >> i % 64 & 1)
			sum += price[i];
	return (sum + ONE - 1) / ONE;
}

static void
go_on(struct search *search, struct setcover_state state)
{
	int element = setcover_open(&state), i;

	search->nodes++;
	if (element < 0 && state.cost < search->best.cost) {
		search->best = search->trying;
		search->best.cost = state.cost;
	}
	if (element < 0 ||
	    state.cost + setcover_bound(search->set, search->sets, &state) >=
		    search->best.cost)
		return;
	for (i = 0; i < search->sets; i++) {
		const struct setcover_set *set = &search->set[i];

		if (!setcover_has(set, element))
			continue;
		search->trying.chosen[i / 64] ^= 1ull << i % 64;
		go_on(search, setcover_choose(state, set));
		search->trying.chosen[i / 64] ^= 1ull << i % 64;
	}
}

struct setcover_cover
setcover_search(const struct setcover_set *set, int sets,
		struct setcover_state state, int64_t limit, uint64_t *nodes_p)
{
	struct search search = { .set = set, .sets = sets, .best.cost = limit };

	go_on(&search, state);
	*nodes_p = search.nodes;
	return search.best;
}
