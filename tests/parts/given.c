/*
 * given.c: how many records of STN_CELLS_PUT a node keeps.
 */
#include "parts/cells/given.h"
#include "tests/tap.h"

#define RECORDS (UINT64_C(3) << 17) /* of 8 bytes: 3 MiB in each call */

static struct stn_cells cells = { .records = RECORDS, .record = 8 };
static struct stn_parts array = { .cells = &cells, .copies.wanted = true };
static unsigned char records[RECORDS * 8];

/* The call that makes version @version. */
static void
put(uint32_t version)
{
	const struct stn_given given = { .end = version,
					 .count = RECORDS,
					 .records = records };

	if (stn_given_keep(&array, &given, version))
		abort();
}

static uint32_t
kept(void)
{
	const struct stn_given *given;
	uint32_t count = 0;

	SLIST_FOREACH(given, &cells.given, link)
	count++;
	return count;
}

int
main(void)
{
	tap_begin();
	put(1);
	put(2);
	stn_given_drop(&array, 2);
	tap_ok(kept() == 2, "few records are kept, in case copies are lost");
	put(3);
	put(4);
	stn_given_drop(&array, 2);
	tap_ok(kept() == 2 && stn_given_find(&cells, 3) &&
		       stn_given_find(&cells, 4),
	       "of many, those without complete copies are kept");
	for (uint32_t version = 5; version < 100; version++) {
		put(version);
		stn_given_drop(&array, version - 1);
	}
	tap_ok(kept() <= 3, "%u of 99 calls are kept", kept());
	stn_given_fini(&cells);
	return tap_end();
}
