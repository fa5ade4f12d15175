#include "constants/send.h"

#include <stdlib.h>

#include "constants/wire.h"
#include "node/dispatch.h"
#include "node/sleep.h"

/*
 * A larger constant is only sent to clusters that ask for it, because it would
 * delay other messages on the link for long.
 */
#define SPREAD_MOST (1 << 20)

/*
 * A constant on its way to another node. A message with a payload keeps its
 * header in place until it has left.
 */
struct shipment {
	struct stn_const_name name;
	struct stn_constants *constants;
};

static void
shipment_left(void *arg, enum stn_err err)
{
	struct shipment *shipment = arg;
	struct stn_constants *constants = shipment->constants;

	/* A receiver that has the constant already refuses it. */
	stn_node_must_arrive(constants->node, "a constant", err);
	constants->sending--;
	stn_node_wake(constants->node);
	free(shipment);
}

void
stn_constant_send(struct stn_constants *constants,
		  const struct stn_constant *constant, uint32_t to)
{
	const struct iovec data = { (void *)(uintptr_t)constant->at,
				    constant->bytes };
	struct shipment *shipment = malloc(sizeof(*shipment));

	if (!shipment)
		stn_node_fail(constants->node, "out of memory");
	*shipment = (struct shipment){ { constant->hash }, constants };
	constants->sending++;
	stn_node_send(constants->node, to, STN_CONST_DATA, &shipment->name,
		      sizeof(shipment->name), &data, constant->bytes ? 1 : 0,
		      shipment_left, shipment);
}

void
stn_constant_lack(struct stn_constants *constants, uint64_t hash, uint32_t to)
{
	const struct stn_const_name name = { hash };

	stn_node_say(constants->node, to, STN_CONST_LACK, &name, sizeof(name));
}

void
stn_constant_spread(struct stn_constants *constants,
		    const struct stn_constant *constant)
{
	const struct stn_node *node = constants->node;

	if (constant->bytes > SPREAD_MOST)
		return;
	for (uint32_t i = 0; i < node->topology->clusters; i++) {
		uint32_t head = stn_members_at(&node->members, i, 0);

		if (i != node->cluster && head != STN_NOBODY)
			stn_constant_send(constants, constant, head);
	}
}
