/*
 * search.c: the basis of the Glasgow Subgraph Solver (C. McCreesh, P. Prosser
 * and J. Trimble, ICGT 2020): domains are sets of bits; if a vertex is mapped,
 * the domains of all others shrink; and vertices whose domains have too few
 * candidates together show that there is no solution (all_different.c).
 */
#include "apps/sip/search.h"

#include <stdlib.h>
#include <string.h>

#include "apps/sip/all_different.h"
#include "apps/sip/bits.h"

struct sip_state *
sip_state_new(const struct sip_problem *p, const struct sip_state *from)
{
	struct sip_state *state = malloc(sip_state_bytes(p));

	if (!state)
		exit(app_complain(1, "out of memory"));
	if (from)
		memcpy(state, from, sip_state_bytes(p));
	return state;
}

/*
 * Removes from the domain of @vertex what excludes that @other is mapped to
 * @candidate. False: nothing is left.
 */
static bool
shrink(const struct sip_problem *p, struct sip_state *state, int vertex,
       int other, int candidate)
{
	const uint64_t *row = sip_row(p, candidate);
	uint64_t *domain = sip_domain(p, state, vertex);

	domain[candidate / 64] &= ~(1ull << candidate % 64);
	if (sip_pattern_has(p, vertex, other))
		for (int i = 0; i < p->words; i++)
			domain[i] &= row[i];
	else if (p->induced)
		for (int i = 0; i < p->words; i++)
			domain[i] &= ~row[i];
	state->choice[vertex].candidates = sip_count(domain, p->words);
	return state->choice[vertex].candidates > 0;
}

static bool
map_one(const struct sip_problem *p, struct sip_state *state, int vertex)
{
	int candidate = sip_next(p, state, vertex, -1);

	state->choice[vertex].mapped = 1;
	state->mapped++;
	for (int i = 0; i < p->pattern; i++)
		if (!state->choice[i].mapped &&
		    !shrink(p, state, i, vertex, candidate))
			return false;
	return true;
}

/* A vertex that isn't mapped and has one candidate; -1: none. */
static int
find_unit(const struct sip_problem *p, const struct sip_state *state)
{
	for (int i = 0; i < p->pattern; i++)
		if (!state->choice[i].mapped &&
		    state->choice[i].candidates == 1)
			return i;
	return -1;
}

static bool
propagate(const struct sip_problem *p, struct sip_state *state)
{
	int unit;

	for (;;) {
		while ((unit = find_unit(p, state)) >= 0)
			if (!map_one(p, state, unit))
				return false;
		if (!sip_all_different(p, state))
			return false;
		if (find_unit(p, state) < 0)
			return true;
	}
}

bool
sip_start(const struct sip_problem *p, struct sip_state *state)
{
	memset(state, 0, sip_state_bytes(p));
	memcpy(sip_domain(p, state, 0), sip_first_domains(p),
	       (size_t)p->pattern * (size_t)p->words * sizeof(uint64_t));
	for (int i = 0; i < p->pattern; i++) {
		state->choice[i].candidates =
			sip_count(sip_domain(p, state, i), p->words);
		if (!state->choice[i].candidates)
			return false;
	}
	return propagate(p, state);
}

static int
pattern_degree(const struct sip_problem *p, int vertex)
{
	return sip_count(p->bits + vertex * p->pattern_words, p->pattern_words);
}

/* Of vertices with as few candidates, that with the highest degree. */
int
sip_pick(const struct sip_problem *p, const struct sip_state *state)
{
	int best = -1;

	for (int i = 0; i < p->pattern; i++) {
		const struct sip_choice *choice = &state->choice[i];

		if (choice->mapped)
			continue;
		if (best < 0 ||
		    choice->candidates < state->choice[best].candidates ||
		    (choice->candidates == state->choice[best].candidates &&
		     pattern_degree(p, i) > pattern_degree(p, best)))
			best = i;
	}
	return best;
}

bool
sip_map(const struct sip_problem *p, struct sip_state *state, int vertex,
	int candidate)
{
	uint64_t *domain = sip_domain(p, state, vertex);

	memset(domain, 0, (size_t)p->words * sizeof(*domain));
	domain[candidate / 64] = 1ull << candidate % 64;
	state->choice[vertex].candidates = 1;
	return map_one(p, state, vertex) && propagate(p, state);
}

int
sip_next(const struct sip_problem *p, struct sip_state *state, int vertex,
	 int candidate)
{
	const uint64_t *domain = sip_domain(p, state, vertex);
	int word = ++candidate / 64;
	uint64_t rest;

	if (word == p->words)
		return -1;
	rest = domain[word] & ~0ull << candidate % 64;
	while (!rest)
		if (++word == p->words)
			return -1;
		else
			rest = domain[word];
	return word * 64 + __builtin_ctzll(rest);
}

void
sip_hunt_on(struct sip_hunt *hunt, struct sip_state *state)
{
	const struct sip_problem *p = hunt->problem;
	struct sip_state *below;
	int vertex, candidate = -1;

	if (state->mapped == p->pattern) {
		hunt->found(hunt, state);
		return;
	}
	vertex = sip_pick(p, state);
	below = sip_state_new(p, NULL);
	while (!hunt->stop &&
	       (candidate = sip_next(p, state, vertex, candidate)) >= 0) {
		if (!(++hunt->tries % SIP_LOOK))
			hunt->look(hunt);
		memcpy(below, state, sip_state_bytes(p));
		if (sip_map(p, below, vertex, candidate))
			sip_hunt_on(hunt, below);
	}
	free(below);
}

void
sip_solution(const struct sip_problem *p, struct sip_state *state, uint16_t *to)
{
	for (int i = 0; i < p->pattern; i++)
		to[i] = (uint16_t)sip_old_number(p, sip_next(p, state, i, -1));
}
