#include "parts/cells/cells_homes.h"

#include <stdlib.h>

#include "parts/array.h"

void
stn_cells_choose_homes(const struct stn_parts *array, struct stn_leaf *leaves,
		       uint32_t count, uint64_t records)
{
	const struct stn_members *members = &array->service->node->members;
	uint32_t *ranks =
		reallocarray(NULL, members->topology->nodes, sizeof(ranks[0]));
	uint64_t before = 0;
	uint32_t nodes = 0;

	if (!ranks)
		stn_array_no_memory(array);
	for (uint32_t i = 0; i < members->topology->nodes; i++)
		if (stn_members_stays(members, i))
			ranks[nodes++] = i;
	for (uint32_t i = 0; i < count; i++) {
		/* By the middle of the part. */
		double at = (double)before + (double)leaves[i].count / 2;
		double node = records ? at / (double)records * nodes : 0;

		leaves[i].home =
			nodes ? ranks[node < nodes ? (uint32_t)node : nodes - 1]
			      : members->root;
		before += leaves[i].count;
	}
	free(ranks);
}
