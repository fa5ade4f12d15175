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
	int i;

	for (i = 0; i < problem->elements; i++)
		state.open[i / 64] |= 1ull << i % 64;
	return state;
}

/*
 * Each open element is given a price: of its sets' costs for an open element,
 * the lowest. So no set costs less than its open elements together, and no
 * cover less than all of them. In whole numbers, rounded down: the bound must
 * be safe, and the same on every machine.
 */
int64_t
setcover_bound(const struct setcover_set *set, int sets,
	       const struct setcover_state *state)
{
	enum { ONE = 1 << 20 };
	int64_t price[SETCOVER_ELEMENTS_MOST], sum = 0;
	int i, word;

	memset(price, 0x7f, sizeof(price));
	for (i = 0; i < sets; i++) {
		int count = setcover_gain(&set[i], state);
		int64_t share = count ? set[i].cost * (int64_t)ONE / count : 0;

		for (word = 0; word < SETCOVER_WORDS; word++) {
			uint64_t bits =
				set[i].elements[word] & state->open[word];

			for (; bits; bits &= bits - 1) {
				int at = 64 * word + __builtin_ctzll(bits);

				if (share < price[at])
					price[at] = share;
			}
		}
	}
	for (i = 0; i < SETCOVER_ELEMENTS_MOST; i++)
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
