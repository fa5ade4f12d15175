/*
 * kernel.h: the search for Golomb rulers, which have marks at whole numbers so
 * that no two pairs of marks are equally far apart. Plain C: tasks place the
 * first marks (shared.c), and this search places the others.
 *
 * The search order is lexicographic: a mark tries the nearest place first. A
 * ruler and its mirror image are one ruler; the search finds the one whose
 * middle is on the left, that is, whose two middle marks (or twice the middle
 * mark) add up to less than the length.
 */
#ifndef GOLOMB_KERNEL_H
#define GOLOMB_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#define GOLOMB_MARKS_MOST 16
#define GOLOMB_LENGTH_MOST 255
#define GOLOMB_FLOOR_BITS 12
#define GOLOMB_LOOK 64

/*
 * Lower bounds of lengths. least[d][g]: no ruler with g gaps is shorter, if it
 * has no distance that is in the set d. The highest bit of d is distance 1.
 */
struct golomb_floors {
	uint8_t least[1 << GOLOMB_FLOOR_BITS][GOLOMB_MARKS_MOST];
};

/*
 * The arguments of a search that begins with some marks, and functions that the
 * search calls. The first mark is at 0.
 */
struct golomb_hunt {
	const struct golomb_floors *floors;
	int marks; /* of a whole ruler; 3 or more */
	int limit; /* rulers that are longer are of no use; only sinks */
	uint8_t mark[GOLOMB_MARKS_MOST]; /* the ruler that is tried; the caller
					  * fills its beginning */

	/*
	 * A ruler was found, no longer than limit. May set limit. If the ruler
	 * is shorter than the limit, its middle may be on the right; then it is
	 * not the one of the two that counts (golomb_is_left).
	 */
	void (*found)(struct golomb_hunt *hunt);

	/* Called each GOLOMB_LOOK places. May set limit. */
	void (*look)(struct golomb_hunt *hunt);
	uint64_t places; /* number of marks that it has placed */
};

/* golomb_is_left: whether the middle of a whole ruler is on the left. */
static inline bool
golomb_is_left(const struct golomb_hunt *hunt)
{
	int last = hunt->marks - 1;

	return hunt->mark[last / 2] + hunt->mark[hunt->marks / 2] <
	       hunt->mark[last];
}

/*
 * golomb_counts: counts the place of a mark, and looks if it is time to.
 */
static inline void
golomb_counts(struct golomb_hunt *hunt)
{
	if (!(++hunt->places % GOLOMB_LOOK))
		hunt->look(hunt);
}

/*
 * golomb_goes_on: whether a useful ruler may begin with the first @count marks
 * of hunt->mark.
 */
bool golomb_goes_on(const struct golomb_hunt *hunt, int count);

/*
 * golomb_next: the first place above @place that fits behind the first @count
 * marks and can be part of a useful ruler; 0 if there is none.
 */
int golomb_next(const struct golomb_hunt *hunt, int count, int place);

/* golomb_hunt_on: searches all rulers that begin with the first @count marks.
 */
void golomb_hunt_on(struct golomb_hunt *hunt, int count);

/*
 * golomb_least: the length of the shortest ruler with @gaps gaps that has no
 * distance of the set @distances, if the length is from @from to @to; else
 * @to + 1. @to is at most 62.
 * @floors  are right for fewer gaps
 */
int golomb_least(const struct golomb_floors *floors, unsigned distances,
		 int gaps, int from, int to);

#endif
