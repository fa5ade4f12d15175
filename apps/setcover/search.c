#include "apps/setcover/search.h"

#include <string.h>

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

static bool
is_cut(const struct setcover_hunt *hunt, int64_t cost)
{
	return STN_CUTS_MIN(hunt->best, cost, hunt->key);
}

void
setcover_hunt_on(struct setcover_hunt *hunt, struct setcover_state state)
{
	int element = setcover_open(&state), i;

	hunt->states++;
	if (hunt->look)
		hunt->look(hunt);
	if (element < 0 && !is_cut(hunt, state.cost))
		hunt->found(hunt, state.cost);
	if (element < 0 ||
	    is_cut(hunt, state.cost + setcover_bound(hunt->set, hunt->sets,
						     &state)))
		return;
	for (i = 0; i < hunt->sets; i++) {
		const struct setcover_set *set = &hunt->set[i];

		if (!setcover_has(set, element))
			continue;
		hunt->trying.chosen[i / 64] ^= 1ull << i % 64;
		setcover_hunt_on(hunt, setcover_choose(state, set));
		hunt->trying.chosen[i / 64] ^= 1ull << i % 64;
	}
}

/* A hunt whose incumbent no other hunt sees. */
struct lone_hunt {
	struct setcover_hunt hunt; /* first: found casts it */
	struct stn_incumbent best;
	struct setcover_cover cover;
};

static void
lone_found(struct setcover_hunt *hunt, int64_t cost)
{
	struct lone_hunt *lone = (struct lone_hunt *)hunt;

	lone->cover = hunt->trying;
	lone->best.value = lone->cover.cost = cost;
}

struct setcover_cover
setcover_search(const struct setcover_set *set, int sets,
		struct setcover_state state, int64_t limit, uint64_t *nodes_p)
{
	struct lone_hunt lone = { .hunt = { .set = set,
					    .sets = sets,
					    .best = &lone.best,
					    .found = lone_found },
				  .best.value = limit,
				  .cover.cost = limit };

	setcover_hunt_on(&lone.hunt, state);
	*nodes_p = lone.hunt.states;
	return lone.cover;
}
