#include "apps/sip/all_different.h"

#include <string.h>

#include "apps/sip/bits.h"

#define WORDS_MOST (SIP_VERTICES_MOST / 64)

/*
 * Sorts the vertices that aren't mapped by their numbers of candidates, by
 * insertion: there are few, or they are nearly all equal. Returns how many
 * there are.
 */
static int
sort_vertices(const struct sip_problem *p, const struct sip_state *state,
	      int16_t *order)
{
	const struct sip_choice *choice = state->choice;
	int count = 0, at;

	for (int i = 0; i < p->pattern; i++) {
		if (choice[i].mapped)
			continue;
		for (at = count++; at && choice[order[at - 1]].candidates >
						 choice[i].candidates;
		     at--)
			order[at] = order[at - 1];
		order[at] = (int16_t)i;
	}
	return count;
}

/* Removes the candidates of Hall sets. Returns how many are left. */
static int
remove_candidates(const struct sip_problem *p, uint64_t *domain,
		  const uint64_t *removed)
{
	for (int i = 0; i < p->words; i++)
		domain[i] &= ~removed[i];
	return sip_count(domain, p->words);
}

static void
add(uint64_t *to, const uint64_t *more, int words)
{
	for (int i = 0; i < words; i++)
		to[i] |= more[i];
}

bool
sip_all_different(const struct sip_problem *p, struct sip_state *state)
{
	uint64_t together[WORDS_MOST] = { 0 }, hall[WORDS_MOST] = { 0 };
	size_t bytes = (size_t)p->words * sizeof(*hall);
	int16_t order[SIP_PATTERN_MOST];
	int count = sort_vertices(p, state, order), vertices = 0, candidates;

	for (int i = 0; i < count; i++) {
		uint64_t *domain = sip_domain(p, state, order[i]);
		struct sip_choice *choice = &state->choice[order[i]];

		choice->candidates = remove_candidates(p, domain, hall);
		add(together, domain, p->words);
		candidates = sip_count(together, p->words);
		if (!choice->candidates || candidates < ++vertices)
			return false;
		if (candidates == vertices) {
			add(hall, together, p->words);
			memset(together, 0, bytes);
			vertices = 0;
		}
	}
	return true;
}
