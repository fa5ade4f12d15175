#include "steal/owners.h"

#include <inttypes.h>

#include "emul/sim_stacks.h"

void
stn_owners_close(struct stn_steal *steal)
{
	for (uint32_t i = 0; i < steal->node->worker_count; i++) {
		stn_spill_fini(&steal->owners[i].spill);
		stn_pure_fini(&steal->owners[i].pure);
		stn_nested_fini(&steal->owners[i].nested);
		stn_span_fini(&steal->owners[i].span);
		stn_holders_fini(&steal->owners[i].holders);
		if (steal->owners[i].deque.slots)
			stn_deque_fini(&steal->owners[i].deque);
	}
}

static enum stn_err
open_owner(struct stn_steal *steal, struct stn_owner *owner, uint32_t number,
	   struct stn_why *why)
{
	const struct stn_node *node = steal->node;
	uint64_t slots = node->config->slots;
	void *room = node->sim ? stn_sim_room(node->sim, node->rank) : NULL;

	owner->node = steal->node;
	owner->steal = steal;
	owner->worker = &node->workers[number];
	stn_random_seed(&owner->random, node->config->seed,
			(uint64_t)node->rank << 16 | number);
	if (stn_deque_init(&owner->deque, room, slots,
			   stn_steal_counts_all(steal)))
		return stn_because(why, STN_NO_MEMORY,
				   "no memory for %" PRIu64 " slots; lower "
				   "--slots",
				   slots);
	if (node->sim)
		stn_deque_alone(&owner->deque);
	if (stn_span_init(&owner->span, node->config, node->sim,
			  room ? (char *)room + stn_deque_bytes(slots) : NULL))
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	owner->deque.poll = node->sim ? 0 : UINT64_MAX;
	if (steal->checks_pure &&
	    stn_pure_init(&owner->pure, steal->program->table.count))
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	if (steal->survives && stn_holders_init(&owner->holders, slots))
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	return STN_OK;
}

enum stn_err
stn_owners_open(struct stn_steal *steal, struct stn_why *why)
{
	const struct stn_node *node = steal->node;
	uint32_t count = node->worker_count;
	enum stn_err err = STN_OK;

	if (count * node->config->slots > UINT32_MAX)
		return stn_because(why, STN_INVALID,
				   "%" PRIu32 " workers of %" PRIu64 " slots "
				   "are too many; lower --slots",
				   count, node->config->slots);
	for (uint32_t i = 0; !err && i < count; i++)
		err = open_owner(steal, &steal->owners[i], i, why);
	if (err)
		stn_owners_close(steal);
	return err;
}
