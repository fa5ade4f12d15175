/*
 * nested.c: which deposits a call may supersede, also when a worker has made
 * more of them than its stack of keys holds.
 */
#include "steal/nested.h"
#include "tests/tap.h"

static void
push(struct stn_nested *nested, uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i < to; i++)
		stn_nested_push(nested, (struct stn_key){ i, ~i });
}

/* Are the keys of the frame the numbers before @to? */
static bool
has(const struct stn_nested *nested, uint32_t begin, uint32_t inside,
    uint64_t to)
{
	if (stn_nested_inside(nested, begin) != inside)
		return false;
	for (uint32_t i = 0; i < inside; i++) {
		uint64_t number = to - inside + i;
		struct stn_key key =
			nested->keys[nested->count - inside + i];

		if (key.low != number || key.high != ~number)
			return false;
	}
	return true;
}

static void
test_frames(void)
{
	struct stn_nested nested = { 0 };
	uint32_t outer = stn_nested_begin(&nested), inner;

	push(&nested, 0, 3);
	inner = stn_nested_begin(&nested);
	tap_ok(has(&nested, inner, 0, 3), "a frame begins without keys");
	push(&nested, 3, 100);
	tap_ok(has(&nested, inner, 97, 100), "a frame has the keys since");
	tap_ok(has(&nested, outer, 100, 100), "the outer frame has all keys");
	stn_nested_cut(&nested, inner);
	tap_ok(has(&nested, inner, 0, 3) && has(&nested, outer, 3, 3),
	       "a frame that ends takes its keys along");
	stn_nested_fini(&nested);
}

static void
test_many(void)
{
	const uint64_t most = STN_NESTED_MOST, many = 10 * most + 5;
	struct stn_nested nested = { 0 };
	uint32_t main_frame = stn_nested_begin(&nested), inner;

	push(&nested, 0, many);
	inner = stn_nested_begin(&nested);
	push(&nested, many, many + most / 2);
	tap_ok(has(&nested, inner, most / 2, many + most / 2),
	       "after many deposits of main, a frame still has all of its keys");
	stn_nested_cut(&nested, inner);
	push(&nested, many, many + 1);
	tap_ok(has(&nested, inner, 1, many + 1),
	       "the outer call takes the place of its parts");
	push(&nested, many + 1, many + 3 * most);
	stn_nested_cut(&nested, inner);
	tap_ok(has(&nested, inner, 0, 0) && has(&nested, main_frame, 0, 0),
	       "a frame ends whose first keys were dropped");
	push(&nested, 0, 2);
	tap_ok(has(&nested, inner, 2, 2), "keys are added after it");
	stn_nested_fini(&nested);
}

int
main(void)
{
	tap_begin();
	test_frames();
	test_many();
	return tap_end();
}
