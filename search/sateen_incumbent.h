/*
 * sateen_incumbent.h: the best value that a node knows of a bound, as a search
 * reads it. Programs use it through <sateen.h>, whose part sateen_bound.h says
 * what a bound is.
 */
#ifndef STN_SATEEN_INCUMBENT_H
#define STN_SATEEN_INCUMBENT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The incumbent: the best value so far, and its place in search order. A program
 * reads it by the calls below. A sequential search may have one of its own,
 * which it writes itself.
 */
struct stn_incumbent {
	int64_t value;
	uint64_t key;
};

/*
 * stn_incumbent_value: the value, by one load. Any thread.
 */
static inline int64_t
stn_incumbent_value(const struct stn_incumbent *at)
{
	/* Relaxed: an old value is worse, so a search only cuts less. */
	return __atomic_load_n(&at->value, __ATOMIC_RELAXED);
}

/*
 * stn_incumbent_ties: whether the incumbent has @value, and comes no later than
 * @key in search order. Any thread.
 */
static inline bool
stn_incumbent_ties(const struct stn_incumbent *at, int64_t value, uint64_t key)
{
	/*
	 * The acquire pairs with the release of the value in search/bounds.c,
	 * which follows that of the key. So the key is the value's, or belongs
	 * to a better incumbent, to which @value loses as well.
	 */
	return __atomic_load_n(&at->value, __ATOMIC_ACQUIRE) == value &&
	       __atomic_load_n(&at->key, __ATOMIC_RELAXED) <= key;
}

/*
 * stn_incumbent_cuts_min, _max: whether no solution can become the incumbent
 * that is at best @value (lower bound of a minimum, upper bound of a maximum),
 * and whose place is @key or later. One load, unless the values are equal. Any
 * thread.
 */
static inline bool
stn_incumbent_cuts_min(const struct stn_incumbent *at, int64_t value,
		       uint64_t key)
{
	int64_t best = stn_incumbent_value(at);

	return best < value ||
	       (best == value && stn_incumbent_ties(at, value, key));
}
static inline bool
stn_incumbent_cuts_max(const struct stn_incumbent *at, int64_t value,
		       uint64_t key)
{
	int64_t best = stn_incumbent_value(at);

	return best > value ||
	       (best == value && stn_incumbent_ties(at, value, key));
}

#endif
