#include "parts/homes.h"

#include <stdlib.h>

enum stn_err
stn_homes_add(struct stn_homes *homes, uint32_t number, uint32_t home,
	      uint32_t epoch)
{
	struct stn_home *last =
		homes->count ? &homes->list[homes->count - 1] : NULL;

	if (last && last->first + last->count == number && last->home == home &&
	    last->epoch == epoch) {
		last->count++;
		return STN_OK;
	}
	if (homes->count == homes->room) {
		uint32_t room = 2 * homes->room + 16;
		struct stn_home *larger =
			reallocarray(homes->list, room, sizeof(larger[0]));

		if (!larger)
			return STN_NO_MEMORY;
		homes->list = larger;
		homes->room = room;
	}
	homes->list[homes->count++] =
		(struct stn_home){ number, 1, home, epoch };
	return STN_OK;
}

const struct stn_home *
stn_homes_at(const struct stn_homes *homes, uint32_t number)
{
	uint32_t low = 0, high = homes->count;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (homes->list[middle].first <= number)
			low = middle;
		else
			high = middle;
	}
	return &homes->list[low];
}

enum stn_err
stn_homes_spread(struct stn_homes *homes, uint32_t parts, const uint32_t *ranks,
		 uint32_t nodes)
{
	enum stn_err err = STN_OK;

	homes->count = 0;
	for (uint32_t i = 0; !err && i < parts; i++)
		err = stn_homes_add(homes, i,
				    ranks[(uint64_t)i * nodes / parts], 0);
	return err;
}

bool
stn_homes_valid(const struct stn_home *list, uint32_t count, uint32_t parts,
		uint32_t nodes, bool whole)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (list[i].first < end || (whole && list[i].first > end) ||
		    !list[i].count || list[i].home >= nodes)
			return false;
		end = (uint64_t)list[i].first + list[i].count;
		if (end > parts)
			return false;
	}
	return !whole || !count || end == parts;
}

void
stn_homes_fini(struct stn_homes *homes)
{
	free(homes->list);
}
