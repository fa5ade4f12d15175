#include "parts/moves/chunks_view.h"

#include "node/dispatch.h"
#include "parts/array.h"
#include "parts/moves/grants.h"

/*
 * A node that leaves may send its parts anywhere, and at any version. So chunks
 * are handed out again only when it has left.
 */
void
stn_chunks_note_nodes(struct stn_parts *array)
{
	const struct stn_members *members = &array->service->node->members;
	struct stn_chunks *chunks = array->scheduling;

	chunks->view = array->service->view;
	chunks->nodes = 0;
	chunks->off = false;
	for (uint32_t i = 0; i < chunks->ranks; i++) {
		bool stays = stn_members_stays(members, i);

		chunks->of[i].weight = 1;
		chunks->of[i].absent = !stays;
		chunks->nodes += stays;
		if (!stays && stn_members_has(members, i))
			chunks->off = true;
	}
}

static void
look_for_newest(struct stn_part *part, void *arg)
{
	uint64_t *newest = arg, version = part->version + part->running;

	*newest = version > *newest ? version : *newest;
}

uint64_t
stn_chunks_newest(struct stn_parts *array)
{
	uint64_t newest = ((struct stn_chunks *)array->scheduling)->newest;

	stn_array_each(array, look_for_newest, &newest);
	return newest;
}

static void
tell_newest(struct stn_parts *array)
{
	const struct stn_node *node = array->service->node;
	struct stn_parts_ask told = { .array = array->id,
				      .lowest = stn_chunks_newest(array),
				      .gift_ns = array->service->view,
				      .next = node->rank };

	if (node->rank != node->members.root)
		stn_node_say(array->service->node, node->members.root,
			     STN_PARTS_KIND_ASK, &told, sizeof(told));
}

/* What the root and this node have counted is of no use any more. */
static void
count_anew(struct stn_chunks *chunks)
{
	chunks->left = 0;
	chunks->asking = false;
	chunks->parts = chunks->ns = chunks->squares = 0;
	chunks->sweeps = 0;
	chunks->ungranted = 0;
	for (uint32_t i = 0; i < chunks->ranks; i++) {
		chunks->of[i].wants = false;
		chunks->of[i].granted = chunks->of[i].parts;
	}
}

void
stn_chunks_stop(struct stn_parts *array)
{
	struct stn_chunks *chunks = array->scheduling;

	stn_chunks_note_nodes(array);
	count_anew(chunks);
	chunks->off |= chunks->nodes < 2 || array->cells;
	chunks->stopped = !chunks->off;
	array->pause = chunks->off ? UINT64_MAX : stn_chunks_newest(array);
	stn_grants_forget(array);
	if (chunks->stopped)
		tell_newest(array);
}

/* A node may tell its version before the root has begun with the view. */
bool
stn_chunks_heard(struct stn_parts *array, uint32_t from,
		 const struct stn_parts_ask *told, uint64_t *version_p)
{
	struct stn_chunks *chunks = array->scheduling;
	uint64_t version = 0;

	chunks->of[from].view = (uint32_t)told->gift_ns;
	chunks->of[from].newest = told->lowest;
	if (!chunks->stopped)
		return false;
	for (uint32_t i = 0; i < chunks->ranks; i++) {
		const struct stn_chunks_node *of = &chunks->of[i];

		if (of->absent)
			continue;
		if (of->view != chunks->view)
			return false;
		version = of->newest > version ? of->newest : version;
	}
	*version_p = version;
	return true;
}
