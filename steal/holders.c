#include "steal/holders.h"

#include <stdlib.h>

#include "steal/steal.h"

enum stn_err
stn_holders_init(struct stn_holders *holders, uint64_t slots)
{
	holders->all = calloc(slots, sizeof(holders->all[0]));
	return holders->all ? STN_OK : STN_NO_MEMORY;
}

void
stn_holders_fini(struct stn_holders *holders)
{
	free(holders->all);
}

/* The worker in whose deque a record of this node lies. */
static struct stn_owner *
owner_of_slot(struct stn_steal *steal, const struct stn_record *record)
{
	return &steal->owners[record->slot / steal->node->config->slots];
}

struct stn_holder *
stn_holder_of(struct stn_steal *steal, const struct stn_record *record)
{
	struct stn_owner *owner = owner_of_slot(steal, record);

	return &owner->holders.all[record - owner->deque.slots];
}

void
stn_holders_lent(struct stn_steal *steal, struct stn_record *record,
		 uint32_t to, uint8_t hops)
{
	struct stn_owner *owner = owner_of_slot(steal, record);
	uint32_t slot = (uint32_t)(record - owner->deque.slots);

	if (!owner->holders.all)
		return;
	owner->holders.all[slot] = (struct stn_holder){
		.to = to, .via = steal->node->rank, .hops = hops
	};
	if (slot >= owner->holders.top)
		owner->holders.top = slot + 1;
}

/*
 * Relaxed: the load pairs with nothing. The net lock orders it after the steal
 * that marked the record.
 */
static bool
is_lent(const struct stn_record *record)
{
	return __atomic_load_n(&record->thief, __ATOMIC_RELAXED) ==
	       STN_THIEF_NODE;
}

struct stn_record *
stn_holders_find(struct stn_steal *steal, uint32_t slot, uint32_t epoch)
{
	uint64_t slots = steal->node->config->slots;
	struct stn_record *record;

	if (slot / slots >= steal->node->worker_count)
		return NULL;
	record = &steal->owners[slot / slots].deque.slots[slot % slots];
	return is_lent(record) && record->epoch == epoch ? record : NULL;
}

void
stn_holders_moved(struct stn_steal *steal, uint32_t via,
		  const struct stn_wire_moved *moved)
{
	struct stn_record *record =
		stn_holders_find(steal, moved->slot, moved->epoch);
	struct stn_holder *holder;

	if (!record || !owner_of_slot(steal, record)->holders.all)
		return;
	holder = stn_holder_of(steal, record);
	/* The number of hops wraps around. A late message is a few hops old. */
	if ((int8_t)(uint8_t)(moved->hops - holder->hops) <= 0)
		return;
	holder->hops = (uint8_t)moved->hops;
	holder->to = moved->to;
	holder->via = via;
}

struct stn_record *
stn_holders_next(struct stn_steal *steal, uint32_t *worker_p, uint32_t *slot_p)
{
	for (; *worker_p < steal->node->worker_count; ++*worker_p) {
		struct stn_owner *owner = &steal->owners[*worker_p];

		while (*slot_p < owner->holders.top) {
			struct stn_record *record =
				&owner->deque.slots[(*slot_p)++];

			if (is_lent(record))
				return record;
		}
		*slot_p = 0;
	}
	return NULL;
}
