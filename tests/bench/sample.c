/*
 * sample.c: percentiles of few values and of many.
 */
#include "bench/sample.h"

#include "tests/tap.h"

#define MOST 300

/* The values 1 to @count; they are added in descending order. */
static struct sample *
values_to(size_t count)
{
	static struct sample sample;

	sample.count = 0;
	for (size_t i = count; i; i--)
		sample_add(&sample, (double)i);
	return &sample;
}

/* Of @count values, how many does the percentile 99 or 1 leave out? */
static void
few_are_worse(void)
{
	size_t above = 0, below = 0, needless = 0;

	for (size_t count = 1; count <= MOST; count++) {
		struct sample *sample = values_to(count);
		size_t high = (size_t)sample_at(sample, 99);
		size_t low = (size_t)sample_at(sample, 1);

		above += 100 * (count - high) > count;
		below += 100 * (low - 1) > count;
		needless += 100 * (count - high + 1) <= count;
	}
	tap_ok(!above, "at most 1 %% of the values exceed the percentile 99");
	tap_ok(!below, "at most 1 %% of the values are below the percentile 1");
	tap_ok(!needless, "no lower value is the percentile 99");
}

int
main(void)
{
	tap_begin();
	tap_ok(sample_at(values_to(0), 99) == 0, "without values it is 0");
	tap_ok(sample_at(values_to(1), 50) == 1, "one value is the median");
	tap_ok(sample_at(values_to(2), 50) == 1,
	       "of two values the lower one is the median");
	tap_ok(sample_at(values_to(21), 50) == 11,
	       "as many values are above the median as below it");
	tap_ok(sample_at(values_to(20), 99) == 20,
	       "of 20 values the highest is the percentile 99");
	tap_ok(sample_at(values_to(20), 1) == 1,
	       "and the lowest the percentile 1");
	tap_ok(sample_at(values_to(20), 0) == 1 &&
		       sample_at(values_to(20), 100) == 20,
	       "the percentiles 0 and 100 are the least and the greatest");
	few_are_worse();
	return tap_end();
}
