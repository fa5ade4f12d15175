#include "node/stats/mails.h"

#include <stdlib.h>
#include <string.h>

#define LINE 64
#define MORE 2 /* an array grows by so many kinds, which fill a cache line */

/* Makes room for @count kinds. */
static bool
mails_grow(struct stn_mails *mails, bool wide, uint8_t count)
{
	struct stn_mails_kind **kinds = &mails->kinds[wide], *larger;
	uint8_t before = mails->room[wide];
	uint8_t room = (uint8_t)(count + count % MORE);

	larger = aligned_alloc(LINE, room * sizeof(larger[0]));
	if (!larger)
		return false;
	memset(larger, 0, room * sizeof(larger[0]));
	if (before)
		memcpy(larger, *kinds, before * sizeof(larger[0]));
	free(*kinds);
	*kinds = larger;
	mails->room[wide] = room;
	return true;
}

struct stn_mails_kind *
stn_mails_begin_(struct stn_mails *mails, uint8_t kind, bool wide)
{
	uint8_t place = mails->places[kind];

	if (!place)
		place = mails->places[kind] = ++mails->count;
	if (place > mails->room[wide] && !mails_grow(mails, wide, place))
		return NULL;
	return &mails->kinds[wide][place - 1];
}

void
stn_mails_sum(const struct stn_mails *mails, struct stn_counts *counts)
{
	for (size_t kind = 0; kind < STN_KINDS_MOST; kind++) {
		uint8_t place = mails->places[kind];

		for (int wide = 0; wide < 2; wide++) {
			const struct stn_mails_kind *of;

			if (!place || place > mails->room[wide])
				continue;
			of = &mails->kinds[wide][place - 1];
			counts->sent[wide][kind] = of->sent;
			counts->received[wide][kind] = of->received;
		}
	}
}

void
stn_mails_fini(struct stn_mails *mails)
{
	free(mails->kinds[0]);
	free(mails->kinds[1]);
}
