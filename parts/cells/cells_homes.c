#include "parts/cells/cells_homes.h"

#include <stdlib.h>

#include "parts/array.h"
#include "parts/seats.h"

void
stn_cells_choose_homes(const struct stn_parts *array, struct stn_leaf *leaves,
		       uint32_t count, uint64_t records)
{
	const struct stn_members *members = &array->service->node->members;
	struct stn_seat *seats =
		reallocarray(NULL, members->topology->nodes, sizeof(seats[0]));
	uint64_t before = 0;
	uint32_t sets;

	if (!seats)
		stn_array_no_memory(array);
	sets = stn_seats_list(array->service, seats);
	for (uint32_t i = 0; i < count; i++) {
		/* By the middle of the part. */
		double at = (double)before + (double)leaves[i].count / 2;
		double set = records ? at / (double)records * sets : 0;
		const struct stn_seat *seat =
			&seats[set < sets ? (uint32_t)set : sets - 1];

		leaves[i].set = sets ? seat->set : members->root;
		leaves[i].home = sets ? seat->node : members->root;
		before += leaves[i].count;
	}
	free(seats);
}
