#include "parts/cells/harvest.h"

#include <stdlib.h>
#include <string.h>

unsigned char *
stn_harvest_grow(struct stn_harvest *to, size_t size)
{
	unsigned char *place;

	if (to->room - to->size < size) {
		size_t room = 2 * to->room + size + STN_HARVEST_UNIT;
		unsigned char *larger = realloc(to->bytes, room);

		if (!larger)
			return NULL;
		to->bytes = larger;
		to->room = room;
	}
	place = to->bytes + to->size;
	memset(place, 0, size);
	to->size += size;
	return place;
}

static void
lower(double *to, const unsigned char *from, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		double value;

		memcpy(&value, from + i * sizeof(value), sizeof(value));
		if (value < to[i])
			to[i] = value;
	}
}

static void
sum(uint64_t *to, const unsigned char *from, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t value;

		memcpy(&value, from + i * sizeof(value), sizeof(value));
		to[i] += value;
	}
}

enum stn_err
stn_harvest_add(struct stn_harvest *to, enum stn_harvests how, const void *from,
		size_t size)
{
	if (!size)
		return STN_OK;
	if (how == STN_HARVEST_LIST || !to->size) {
		unsigned char *place = stn_harvest_grow(to, size);

		if (!place)
			return STN_NO_MEMORY;
		memcpy(place, from, size);
		return STN_OK;
	}
	if (size != to->size || how == STN_HARVEST_NONE)
		return STN_MALFORMED;
	if (how == STN_HARVEST_SUM)
		sum((uint64_t *)(void *)to->bytes, from, size / 8);
	else
		lower((double *)(void *)to->bytes, from, size / 8);
	return STN_OK;
}

void
stn_harvest_fini(struct stn_harvest *harvest)
{
	free(harvest->bytes);
	*harvest = (struct stn_harvest){ 0 };
}
