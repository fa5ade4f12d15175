#include "parts/seats.h"

#include <stdlib.h>

#include "node/progress.h"
#include "parts/move.h"

uint32_t
stn_seat_node(const struct stn_parts_service *service, uint32_t seat)
{
	return service->seats ? service->seats[seat] : seat;
}

/* Most runs need no list: all resident sets are where they were at first. */
static void
make_list(struct stn_parts_service *service)
{
	uint32_t nodes = service->node->topology->nodes;

	service->seats = malloc(nodes * sizeof(service->seats[0]));
	if (!service->seats)
		stn_node_fail(service->node, "out of memory");
	for (uint32_t i = 0; i < nodes; i++)
		service->seats[i] = i;
}

void
stn_seat_move(struct stn_parts_service *service, uint32_t seat, uint32_t to)
{
	if (!service->seats)
		make_list(service);
	service->seats[seat] = to;
	if (to == service->node->rank)
		service->seat = seat;
	else if (service->seat == seat)
		service->seat = STN_NOBODY;
}

void
stn_seat_pass(struct stn_part *part)
{
	const struct stn_parts_service *service = part->array->service;

	if (service->seat == STN_NOBODY && service->heir != STN_NOBODY &&
	    !part->array->freed && stn_part_can_move(part))
		stn_part_give(part, service->heir);
}
