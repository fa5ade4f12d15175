#include "parts/moves/grants.h"

#include "node/dispatch.h"
#include "parts/array.h"
#include "parts/moves/move.h"
#include "parts/ready.h"

static struct stn_chunks_part *
grants_of(const struct stn_parts *array)
{
	return stn_chunks_parts(array->scheduling);
}

void
stn_grants_apply(struct stn_part *part)
{
	struct stn_chunks_part *grant = &grants_of(part->array)[part->number];
	uint64_t next = part->version + 1;

	if (!stn_part_can_move(part))
		return;
	if (grant->own == next) {
		grant->own = 0;
		part->granted = next;
		stn_part_consider(part);
		return;
	}
	for (int i = 0; i < STN_HEIRS; i++) {
		if (grant->heirs[i].version != next)
			continue;
		grant->heirs[i].version = 0;
		stn_part_give(part, grant->heirs[i].heir);
		return;
	}
}

static void
pass_on(struct stn_parts *array, const struct stn_parts_ask *grant,
	uint32_t number, uint32_t home)
{
	struct stn_parts_ask passed = *grant;

	passed.left = home;
	passed.parts = number;
	passed.gifts = 1;
	passed.passed = 1;
	stn_node_say(array->service->node, home, STN_PARTS_KIND_NONE, &passed,
		     sizeof(passed));
}

/* On the home of the part, as far as the root knows. */
static void
note_heir(struct stn_parts *array, const struct stn_parts_ask *grant,
	  uint32_t number)
{
	struct stn_heir *heir = grants_of(array)[number].heirs;
	uint32_t rank = array->service->node->rank;
	uint32_t home = stn_array_home(array, number);

	if (grant->ns_per_part && home != rank) {
		pass_on(array, grant, number, home);
	} else if (grant->next != rank) {
		if (heir->version)
			heir++;
		*heir = (struct stn_heir){ grant->lowest, grant->next };
	}
}

void
stn_grants_take(struct stn_parts *array, const struct stn_parts_ask *grant)
{
	uint32_t rank = array->service->node->rank;

	for (uint32_t i = grant->parts; i < grant->parts + grant->gifts; i++) {
		struct stn_part *part;

		if (grant->next == rank)
			grants_of(array)[i].own = grant->lowest;
		if (grant->left == rank)
			note_heir(array, grant, i);
		part = stn_array_known(array, i);
		if (part)
			stn_grants_apply(part);
	}
}

static void
ungrant(struct stn_part *part, void *arg)
{
	(void)arg;
	part->granted = 0;
	stn_part_withdraw(part);
	stn_part_consider(part);
}

void
stn_grants_forget(struct stn_parts *array)
{
	for (uint32_t i = 0; i < array->count; i++)
		grants_of(array)[i] = (struct stn_chunks_part){ 0 };
	stn_array_each(array, ungrant, NULL);
}
