/*
 * golomb.c: the kernel of golomb finds all rulers up to a length, as a search
 * does that compares all distances.
 */
#include <stdbool.h>

#include "apps/golomb/floors.h"
#include "tests/tap.h"

/* A search that never lowers its limit. */
struct all_hunt {
	struct golomb_hunt hunt; /* first: found casts it */
	long rulers;
};

static void
found(struct golomb_hunt *hunt)
{
	((struct all_hunt *)hunt)->rulers += golomb_is_left(hunt);
}

static void
look(struct golomb_hunt *hunt)
{
	(void)hunt;
}

static long
count_by_kernel(int marks, int limit)
{
	struct all_hunt all = { .hunt = { .floors = golomb_floors(),
					  .marks = marks,
					  .limit = limit,
					  .found = found,
					  .look = look } };

	golomb_hunt_on(&all.hunt, 1);
	return all.rulers;
}

struct ruler {
	int marks, limit, count;
	int mark[GOLOMB_MARKS_MOST];
};

static bool
is_golomb(const struct ruler *ruler)
{
	bool used[GOLOMB_LENGTH_MOST + 1] = { false };

	for (int i = 0; i < ruler->count; i++)
		for (int j = 0; j < i; j++) {
			int apart = ruler->mark[i] - ruler->mark[j];

			if (used[apart])
				return false;
			used[apart] = true;
		}
	return true;
}

/* Counts only one of a ruler and its mirror image. */
static long
count_all(struct ruler *ruler)
{
	const int *mark = ruler->mark;
	int marks = ruler->marks;
	long rulers = 0;

	if (!is_golomb(ruler))
		return 0;
	if (ruler->count == marks)
		return mark[(marks - 1) / 2] + mark[marks / 2] <
		       mark[marks - 1];
	ruler->count++;
	for (int place = mark[ruler->count - 2] + 1; place <= ruler->limit;
	     place++) {
		ruler->mark[ruler->count - 1] = place;
		rulers += count_all(ruler);
	}
	ruler->count--;
	return rulers;
}

static void
test(int marks, int limit)
{
	struct ruler ruler = { .marks = marks, .limit = limit, .count = 1 };
	long expected = count_all(&ruler);

	tap_ok(count_by_kernel(marks, limit) == expected,
	       "%ld rulers with %d marks are no longer than %d", expected,
	       marks, limit);
}

int
main(void)
{
	tap_begin();
	test(3, 255); /* all maps are too short */
	test(4, 140);
	test(5, 70);
	test(6, 40);
	test(7, 36);
	test(8, 44);
	test(9, 50);
	return tap_end();
}
