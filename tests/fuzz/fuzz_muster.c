/*
 * fuzz_muster.c: any bytes are either read as a card of a muster, which gives
 * the same card when written and read again, or rejected.
 */
#include <string.h>

#include "launch/run/muster_card.h"
#include "tests/fuzz/fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct stn_card card = { data, size };
	unsigned char bytes[STN_MUSTER_CARD_BYTES];
	struct stn_muster_card read, again;
	struct stn_card written = { bytes, 0 };

	if (stn_muster_card_read(&card, &read))
		return 0;
	for (size_t i = 0; read.host[i]; i++)
		require(read.host[i] > ' ' && read.host[i] <= '~');
	written.size = stn_muster_card_write(&read, bytes);
	require(written.size == size &&
		!stn_muster_card_read(&written, &again) &&
		again.count == read.count &&
		!memcmp(again.token, read.token, sizeof(read.token)) &&
		!strcmp(again.host, read.host));
	return 0;
}
