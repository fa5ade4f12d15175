#include "steal/nested.h"

#include <stdlib.h>
#include <string.h>

/* Makes room for one key. Returns whether there is some. */
static bool
nested_make_room(struct stn_nested *nested)
{
	uint32_t room = nested->room ? 2 * nested->room : 16;
	struct stn_key *keys;

	if (nested->count < nested->room)
		return true;
	if (nested->count == STN_NESTED_MOST) {
		nested->count /= 2;
		nested->dropped += nested->count;
		memcpy(nested->keys, nested->keys + nested->count,
		       nested->count * sizeof(nested->keys[0]));
		return true;
	}
	keys = reallocarray(nested->keys, room, sizeof(keys[0]));
	if (!keys)
		return false;
	nested->keys = keys;
	nested->room = room;
	return true;
}

void
stn_nested_push(struct stn_nested *nested, struct stn_key key)
{
	if (nested_make_room(nested))
		nested->keys[nested->count++] = key;
}

void
stn_nested_fini(struct stn_nested *nested)
{
	free(nested->keys);
}
