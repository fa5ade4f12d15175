/*
 * by_parts.c: how a program with parts uses this library, in one thread: the
 * particles are cut into parts, and one part is computed after the other.
 */
#include <stdlib.h>
#include <string.h>

#include "apps/fmm/cells.h"

#define NO_PART SIZE_MAX
#define NO_NODE SIZE_MAX

/* A cell of the octree above the parts, or a part. */
struct node {
	struct fmm_place place;
	struct fmm_root *root; /* of a part, inside its summary */
	size_t part;
	size_t children[LANES];
};

struct divided {
	const struct fmm_plan *plan;
	struct fmm_space space;
	size_t most; /* particles of a part */
	const struct fmm_body *bodies;
	uint64_t *keys;
	struct node *nodes;
	struct fmm_part *parts;
	size_t node_count, part_count;

	/* What one part needs. */
	struct fmm_part *near;
	const struct fmm_root **far;
	struct fmm_task task;
};

static int
make_part(struct divided *d, struct node *node, size_t first, size_t count)
{
	struct fmm_part *part = &d->parts[d->part_count];
	struct fmm_summary *summary;
	void *spectra;

	node->part = d->part_count;
	if (fmm_summarise(d->plan, &d->space, node->place, d->bodies + first,
			  count, &summary) < 0)
		return -1;
	d->part_count++;
	node->root = (struct fmm_root *)fmm_summary_root(summary);
	*part = (struct fmm_part){ d->bodies + first, summary, NULL };
	spectra = aligned_alloc(64, fmm_spectra_bytes(d->plan, summary) + 64);
	part->spectra = spectra;
	return spectra ? fmm_spectra(d->plan, &d->space, summary, spectra) : -1;
}

/* Makes the root of a cell above the parts. */
static int
make_root(struct divided *d, struct node *node)
{
	const struct fmm_root *roots[LANES];
	size_t count = 0;

	for (unsigned c = 0; c < LANES; c++)
		if (node->children[c] != NO_NODE)
			roots[count++] = d->nodes[node->children[c]].root;
	node->part = NO_PART;
	node->root = malloc(fmm_root_bytes(d->plan));
	return node->root ? fmm_combine(d->plan, node->place, roots, count,
					node->root)
			  : -1;
}

/* Lists what the part @mine needs of the cell of @node. */
static void
collect(struct divided *d, const struct node *mine, const struct node *node)
{
	enum fmm_reach reach = fmm_reach(mine->place, node->place);

	if (node->part == NO_PART && reach != FMM_OPEN)
		d->far[d->task.far_count++] = node->root;
	else if (node->part != NO_PART && reach == FMM_ROOT)
		d->far[d->task.far_count++] = node->root;
	if (reach == FMM_ROOT || node == mine)
		return;
	if (node->part != NO_PART) {
		d->near[d->task.near_count++] = d->parts[node->part];
		return;
	}
	for (unsigned c = 0; c < LANES; c++)
		if (node->children[c] != NO_NODE)
			collect(d, mine, &d->nodes[node->children[c]]);
}

static int
evaluate_part(struct divided *d, const struct node *node,
	      struct fmm_field *fields, struct fmm_work *work)
{
	const struct fmm_part *part = &d->parts[node->part];

	d->task = (struct fmm_task){ .own = *part,
				     .near = d->near,
				     .far = d->far };
	collect(d, node, &d->nodes[0]);
	return fmm_evaluate(d->plan, &d->space, &d->task,
			    fields + (part->bodies - d->bodies), work);
}

static int
evaluate_all(struct divided *d, struct fmm_field *fields, struct fmm_work *sum)
{
	struct fmm_work work, done = { 0 };

	for (size_t i = 0; i < d->node_count; i++) {
		if (d->nodes[i].part == NO_PART)
			continue;
		if (evaluate_part(d, &d->nodes[i], fields, &work) < 0)
			return -1;
		done.pairs += work.pairs;
		done.surface += work.surface;
		done.translations += work.translations;
		done.cells += work.cells;
	}
	if (sum)
		*sum = done;
	return 0;
}

/* The children of a cell of this level, and the end of each one's particles. */
static void
cut(const struct divided *d, uint32_t level, size_t first, size_t count,
    size_t *ends)
{
	unsigned shift = 3 * (FMM_DEEPEST - level - 1);
	size_t at = first;

	for (unsigned c = 0; c < LANES; c++) {
		while (at < first + count && (d->keys[at] >> shift & 7) == c)
			at++;
		ends[c] = at;
	}
}

static bool
is_part(const struct divided *d, uint32_t level, size_t count)
{
	return count <= d->most || level == FMM_DEEPEST;
}

static size_t
count_nodes(const struct divided *d, uint32_t level, size_t first, size_t count)
{
	size_t ends[LANES], nodes = 1;

	if (is_part(d, level, count))
		return 1;
	cut(d, level, first, count, ends);
	for (unsigned c = 0; c < LANES; first = ends[c++])
		if (ends[c] > first)
			nodes += count_nodes(d, level + 1, first,
					     ends[c] - first);
	return nodes;
}

/* Makes the node of a cell with these particles, and all below it. */
static int
make_node(struct divided *d, struct fmm_place place, size_t first, size_t count)
{
	struct node *node = &d->nodes[d->node_count++];
	size_t ends[LANES];

	node->place = place;
	if (is_part(d, place.level, count))
		return make_part(d, node, first, count);
	cut(d, place.level, first, count, ends);
	for (unsigned c = 0; c < LANES; first = ends[c++]) {
		node->children[c] = ends[c] > first ? d->node_count : NO_NODE;
		if (ends[c] > first && make_node(d, place_child(place, c),
						 first, ends[c] - first) < 0)
			return -1;
	}
	return make_root(d, node);
}

static int
divided_init(struct divided *d, size_t count)
{
	size_t nodes;

	d->keys = malloc((count + 1) * sizeof *d->keys);
	if (!d->keys)
		return -1;
	for (size_t i = 0; i < count; i++)
		d->keys[i] = fmm_key(&d->space, &d->bodies[i]);
	nodes = count_nodes(d, 0, 0, count);
	d->nodes = calloc(nodes, sizeof *d->nodes);
	d->parts = calloc(nodes, sizeof *d->parts);
	d->near = malloc(nodes * sizeof *d->near);
	d->far = malloc(nodes * sizeof *d->far);
	return d->nodes && d->parts && d->near && d->far ? 0 : -1;
}

static void
divided_finish(struct divided *d)
{
	for (size_t i = 0; i < d->node_count; i++)
		if (d->nodes[i].part == NO_PART)
			free(d->nodes[i].root);
	for (size_t i = 0; i < d->part_count; i++) {
		free((void *)d->parts[i].summary);
		free((void *)d->parts[i].spectra);
	}
	free(d->keys);
	free(d->nodes);
	free(d->parts);
	free(d->near);
	free(d->far);
}

int
fmm_by_parts(const struct fmm_plan *plan, const struct fmm_space *space,
	     const struct fmm_body *bodies, size_t count, size_t most,
	     struct fmm_field *fields, struct fmm_work *work)
{
	struct fmm_place everything = { 0 };
	struct divided d = {
		.plan = plan, .space = *space, .most = most, .bodies = bodies
	};
	int status = divided_init(&d, count);

	if (status == 0)
		status = make_node(&d, everything, 0, count);
	if (status == 0)
		status = evaluate_all(&d, fields, work);
	divided_finish(&d);
	return status;
}
