#include "node/stats/mails.h"

#include <stdlib.h>
#include <string.h>

#define ROOM 4 /* kinds, at first */
#define MORE 2 /* further kinds, each time it grows */

static bool
mails_grow(struct stn_mails *mails)
{
	uint8_t room = mails->room ? (uint8_t)(mails->room + MORE) : ROOM;
	struct stn_mails_kind *kinds =
		aligned_alloc(sizeof(kinds[0]), room * sizeof(kinds[0]));

	if (!kinds)
		return false;
	memset(kinds, 0, room * sizeof(kinds[0]));
	if (mails->count)
		memcpy(kinds, mails->kinds, mails->count * sizeof(kinds[0]));
	free(mails->kinds);
	mails->kinds = kinds;
	mails->room = room;
	return true;
}

struct stn_mails_kind *
stn_mails_begin_(struct stn_mails *mails, uint8_t kind)
{
	if (mails->count == mails->room && !mails_grow(mails))
		return NULL;
	mails->places[kind] = ++mails->count;
	return &mails->kinds[mails->count - 1];
}

void
stn_mails_sum(const struct stn_mails *mails, struct stn_counts *counts)
{
	for (size_t kind = 0; kind < STN_KINDS_MOST; kind++) {
		const struct stn_mails_kind *of;

		if (!mails->places[kind])
			continue;
		of = &mails->kinds[mails->places[kind] - 1];
		for (int wide = 0; wide < 2; wide++) {
			counts->sent[wide][kind] = of->sent[wide];
			counts->received[wide][kind] = of->received[wide];
		}
	}
}

void
stn_mails_fini(struct stn_mails *mails)
{
	free(mails->kinds);
}
