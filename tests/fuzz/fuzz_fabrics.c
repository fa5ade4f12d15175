/*
 * fuzz_fabrics.c: any bytes are either read as a node's fabrics, which give the
 * same card when written again, or rejected with a message of one line. The
 * choice of addresses ends for all fabrics that can be read.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "launch/survey/fabrics_card.h"

static void
require_same(const struct stn_fabrics *fabrics)
{
	struct stn_fabrics again;
	size_t size;
	unsigned char *bytes = stn_fabrics_write(fabrics, &size);
	const struct stn_card card = { bytes, size };

	require(bytes && !stn_fabrics_read(&card, 3, &again, NULL) &&
		!memcmp(fabrics, &again, sizeof(again)));
	free(bytes);
}

static void
require_choice(const struct stn_fabrics *fabrics)
{
	static const char *const names[] = { "n0", "n1" };
	const struct stn_addresses *all[] = { &fabrics->addresses,
					      &fabrics->addresses };
	uint32_t hosts[] = { 0, 0 };
	uint8_t which[2] = { UINT8_MAX, UINT8_MAX };
	struct stn_why why = { "" };

	if (stn_addresses_choose(all, 2, hosts, names, which, &why))
		require(*why.text && !strchr(why.text, '\n'));
	else
		require(which[0] < all[0]->count && which[1] < all[1]->count);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct stn_card card = { data, size };
	struct stn_fabrics fabrics;
	struct stn_why why = { "" };

	if (stn_fabrics_read(&card, 3, &fabrics, &why)) {
		require(*why.text && !strchr(why.text, '\n'));
		return 0;
	}
	require_same(&fabrics);
	require_choice(&fabrics);
	return 0;
}
