#include "parts/seats.h"

#include <stdlib.h>

#include "node/progress.h"
#include "parts/moves/move.h"

uint32_t
stn_seat_node(const struct stn_parts_service *service, uint32_t seat)
{
	return service->seats ? service->seats[seat] : seat;
}

/* Most runs need no list: all resident sets are where they were at first. */
static uint32_t *
make_list(const struct stn_parts_service *service)
{
	uint32_t nodes = service->node->topology->nodes;
	uint32_t *list = malloc(nodes * sizeof(list[0]));

	if (!list)
		stn_node_fail(service->node, "out of memory");
	for (uint32_t i = 0; i < nodes; i++)
		list[i] = i;
	return list;
}

void
stn_seat_move(struct stn_parts_service *service, uint32_t seat, uint32_t to)
{
	if (!service->seats)
		service->seats = make_list(service);
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

void
stn_seat_report(struct stn_parts_service *service, uint32_t seat, uint32_t node)
{
	if (!service->reported)
		service->reported = make_list(service);
	service->reported[seat] = node;
}

/* After a death the sets are on the nodes of their ranks, or nowhere. */
static uint32_t
likely_node(const struct stn_parts_service *service, uint32_t seat)
{
	if (service->scattered)
		return seat;
	return service->reported ? service->reported[seat]
				 : stn_seat_node(service, seat);
}

uint32_t
stn_seats_list(const struct stn_parts_service *service, struct stn_seat *seats)
{
	const struct stn_members *members = &service->node->members;
	uint32_t nodes = members->topology->nodes, count = 0;

	for (uint32_t i = 0; i < nodes - service->spares; i++) {
		uint32_t node = likely_node(service, i);

		if (stn_members_stays(members, node))
			seats[count++] = (struct stn_seat){ i, node };
	}
	if (count)
		return count;
	for (uint32_t i = 0; i < nodes; i++)
		if (stn_members_stays(members, i))
			seats[count++] = (struct stn_seat){ i, i };
	return count;
}
