#include "node/attend.h"

uint64_t
stn_attend_look(struct stn_node *node, uint64_t now)
{
	uint64_t first = STN_FOREVER;

	/*
	 * look_after may call stn_attend_to, also for its own service. So its
	 * bit is cleared before the call.
	 */
	for (unsigned i = 0; node->attended >> i; i++) {
		uint64_t at;

		if (!(node->attended >> i & 1))
			continue;
		node->attended &= ~(UINT32_C(1) << i);
		at = node->services[i]->look_after(node->states[i], now);
		if (at != STN_AT_REST)
			node->attended |= UINT32_C(1) << i;
		if (at < first)
			first = at;
	}
	return first < STN_AT_REST ? first : STN_FOREVER;
}

void
stn_attend_to(struct stn_node *node, const void *state)
{
	unsigned number = 0;

	while (node->states[number] != state)
		number++;
	node->attended |= UINT32_C(1) << number;
}
