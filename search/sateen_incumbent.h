/*
 * sateen_incumbent.h: the best solution of a bound that a node knows, as a
 * search reads it. Programs include <sateen.h>, whose part sateen_bound.h says
 * what a bound is.
 */
#ifndef STN_SATEEN_INCUMBENT_H
#define STN_SATEEN_INCUMBENT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The incumbent: the value of the best solution so far, and its key, which is
 * its place in search order. A program reads a bound's incumbent only by the
 * calls below, because other threads change it. A sequential search may have an
 * incumbent of its own, whose members it writes itself. The calls below never
 * block.
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
 * stn_incumbent_cuts_min, stn_incumbent_cuts_max: true if no solution with the
 * key @key or a higher one, and with a value of at least @value (of at most
 * @value in stn_incumbent_cuts_max), can become the incumbent. One load, or
 * three if the values are equal. Any thread.
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
