#include "steal/nested.h"

#include <stdlib.h>

void
stn_nested_push(struct stn_nested *nested, struct stn_key key)
{
	uint32_t room = nested->room ? 2 * nested->room : 16;
	struct stn_key *keys;

	if (nested->count == STN_NESTED_MOST)
		return;
	if (nested->count == nested->room) {
		keys = reallocarray(nested->keys, room, sizeof(keys[0]));
		if (!keys)
			return;
		nested->keys = keys;
		nested->room = room;
	}
	nested->keys[nested->count++] = key;
}

void
stn_nested_fini(struct stn_nested *nested)
{
	free(nested->keys);
}
