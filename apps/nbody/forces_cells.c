#include "apps/nbody/forces_cells.h"

#include <stdlib.h>
#include <string.h>

#include "apps/app.h"
#include "apps/nbody/motion.h"

/*
 * A part's summary, as the runtime carries it: the root, which any cell may
 * need; the particles, without what only their own part needs; and the method's
 * summary. All begin at multiples of 64 bytes.
 */
static size_t
round_up(size_t bytes)
{
	return (bytes + 63) & ~(size_t)63;
}

static size_t
bodies_at(const struct fmm_plan *plan)
{
	return round_up(fmm_root_bytes(plan));
}

static size_t
summary_at(const struct fmm_plan *plan, uint64_t count)
{
	return bodies_at(plan) + round_up(count * sizeof(struct fmm_body));
}

static struct fmm_place
place_of(const struct stn_cell *cell)
{
	return (struct fmm_place){ (uint32_t)cell->level, cell->at[0],
				   cell->at[1], cell->at[2] };
}

/*
 * The cube of all particles, with its lowest corner at the origin. @away: that
 * corner's coordinates, which are subtracted from those of all particles.
 */
static struct fmm_space
space_of(const struct stn_cell *whole, double strength, double away[3])
{
	struct fmm_space space = { whole->low[0], whole->low[1], whole->low[2],
				   whole->width, strength };

	fmm_recentre(&space, away);
	return space;
}

/* A kernel can't return an error. */
static void
need(bool there)
{
	if (!there)
		exit(app_complain(1, "out of memory"));
}

struct stn_parts *
nbody_cells(STN_FRAME, uint64_t count, uint32_t most,
	    const struct nbody_method *method)
{
	const struct fmm_plan *plan = nbody_plan(method);

	if (!plan)
		return NULL;
	return STN_CELLS(struct nbody_particle, count,
			 .place = offsetof(struct nbody_particle, at),
			 .most = most, .brief = (uint32_t)fmm_root_bytes(plan),
			 .across = fmm_across(plan, count), .summaries = true);
}

/* How many charges on a surface stand for a cell's particles. */
static size_t
charges_of(const struct fmm_plan *plan)
{
	return (fmm_root_bytes(plan) - sizeof(struct fmm_root)) /
	       sizeof(double);
}

/* What a summary takes: mostly, each particle acts on a surface. */
static uint64_t
summary_cost(const struct fmm_plan *plan, uint64_t count)
{
	struct fmm_work work = { .surface = count * charges_of(plan) };

	return (uint64_t)fmm_cost(plan, &work);
}

/* The method's order of particles is that of the records. */
STN_CELLS_KERNEL(nbody_summarise, struct nbody_particle, struct nbody_method,
		 method, double, strength)
{
	const struct fmm_plan *plan = nbody_plan(&method);
	double away[3];
	struct fmm_space space = space_of(&at->whole, strength, away);
	uint64_t count = (uint64_t)at->count;
	struct fmm_body *bodies = malloc((count + 1) * sizeof(*bodies));
	struct fmm_summary *summary;
	char *to;

	need(plan && bodies);
	nbody_bodies(at->records, count, away, bodies);
	need(!fmm_summarise(plan, &space, place_of(&at->cell), bodies, count,
			    &summary));
	to = STN_ROOM(at, summary_at(plan, count) + fmm_summary_bytes(summary));
	memcpy(to, fmm_summary_root(summary), fmm_root_bytes(plan));
	memcpy(to + bodies_at(plan), bodies, count * sizeof(*bodies));
	memcpy(to + summary_at(plan, count), summary,
	       fmm_summary_bytes(summary));
	free(summary);
	free(bodies);
	at->work = summary_cost(plan, count);
}

/*
 * Adds up the roots of parts that share the deepest cell: the charges are on
 * the same surface.
 */
static void
add_roots(const struct fmm_plan *plan, const struct fmm_root *const *roots,
	  long count, struct fmm_root *sum)
{
	memcpy(sum, roots[0], fmm_root_bytes(plan));
	for (long i = 1; i < count; i++) {
		sum->count += roots[i]->count;
		for (size_t j = 0; j < charges_of(plan); j++)
			sum->charges[j] += roots[i]->charges[j];
	}
}

STN_COMBINE(nbody_combine, struct nbody_method, method, double, strength)
{
	const struct fmm_root *roots[8];

	(void)strength;
	for (long i = 0; i < at->count; i++)
		roots[i] = at->child[i].brief;
	if (at->child[0].cell.level == at->cell.level) {
		add_roots(nbody_plan(&method), roots, at->count, at->brief);
		return;
	}
	need(!fmm_combine(nbody_plan(&method), place_of(&at->cell), roots,
			  (size_t)at->count, at->brief));
}

STN_REACH(nbody_reach, struct nbody_world, world, struct nbody_method, method,
	  double, strength, double, kick)
{
	static const enum stn_reaches reaches[] = {
		[FMM_ROOT] = STN_REACH_TAKE,
		[FMM_OPEN] = STN_REACH_OPEN,
		[FMM_BOTH] = STN_REACH_BOTH,
	};

	(void)world;
	(void)method;
	(void)strength;
	(void)kick;
	return reaches[fmm_reach(place_of(mine), place_of(other))];
}

/* What a part's spectra are made from. */
struct spectra {
	const struct fmm_plan *plan;
	const struct fmm_space *space;
	const struct fmm_summary *summary;
};

static void
make_spectra(void *to, size_t bytes, const struct stn_cell *cell,
	     const void *argument)
{
	const struct spectra *from = argument;

	(void)bytes;
	(void)cell;
	need(!fmm_spectra(from->plan, from->space, from->summary, to));
}

/*
 * What a part's fields are computed from, and the fields. Parts that share the
 * deepest cell of the octree are united, because the method knows only one part
 * of a cell; @united has what is made for that.
 */
struct gathered {
	const struct fmm_plan *plan;
	struct fmm_space space;
	struct fmm_part *near;
	size_t near_count;
	const struct fmm_root **far;
	struct fmm_field *fields;
	void **united;
	size_t united_count;
};

static struct gathered
allocate(const struct stn_cells_at *at, const struct fmm_plan *plan,
	 double strength)
{
	size_t near = (size_t)at->near_count;
	double away[3];
	struct gathered all = {
		.plan = plan,
		.space = space_of(&at->whole, strength, away),
		.near = malloc((near + 1) * sizeof(*all.near)),
		.far = malloc(((size_t)at->far_count + 1) * sizeof(*all.far)),
		.united = malloc(2 * (near + 1) * sizeof(*all.united)),
	};

	need(all.near && all.far && all.united);
	return all;
}

static void
drop(const struct gathered *all)
{
	for (size_t i = 0; i < all->united_count; i++)
		free(all->united[i]);
	free(all->united);
	free(all->near);
	free(all->far);
	free(all->fields);
}

/* A part's cell, particles and summary, own or near. */
struct sight {
	struct stn_cell cell;
	uint64_t count;
	const struct fmm_body *bodies;
	const struct fmm_summary *summary;
};

static struct sight
look_at(const struct fmm_plan *plan, const struct stn_cell *cell, long count,
	const void *summary)
{
	const char *bytes = summary;

	return (struct sight){
		*cell, (uint64_t)count, (const void *)(bytes + bodies_at(plan)),
		(const void *)(bytes + summary_at(plan, (uint64_t)count))
	};
}

static struct sight
look_at_near(const struct gathered *all, const struct stn_near *near)
{
	return look_at(all->plan, &near->cell, near->count, near->summary);
}

static bool
share_cell(const struct stn_cell *a, const struct stn_cell *b)
{
	return a->level == b->level && !memcmp(a->at, b->at, sizeof(a->at));
}

/* Makes one part of @first and of @count near ones that share its cell. */
static struct sight
unite(struct gathered *all, const struct sight *first,
      const struct stn_near *near, long count)
{
	struct sight one = *first;
	struct fmm_body *bodies;
	struct fmm_summary *summary;

	for (long i = 0; i < count; i++)
		one.count += (uint64_t)near[i].count;
	bodies = malloc(one.count * sizeof(*bodies));
	need(bodies);
	one.bodies = bodies;
	memcpy(bodies, first->bodies, first->count * sizeof(*bodies));
	bodies += first->count;
	for (long i = 0; i < count; i++) {
		struct sight other = look_at_near(all, &near[i]);

		memcpy(bodies, other.bodies, other.count * sizeof(*bodies));
		bodies += other.count;
	}
	need(!fmm_summarise(all->plan, &all->space, place_of(&one.cell),
			    one.bodies, one.count, &summary));
	one.summary = summary;
	all->united[all->united_count++] = bodies - one.count;
	all->united[all->united_count++] = summary;
	return one;
}

/* Describes a part. The spectra are made once on each node. */
static struct fmm_part
describe(struct stn_cells_at *at, const struct gathered *all,
	 const struct sight *sight)
{
	struct spectra from = { all->plan, &all->space, sight->summary };
	struct fmm_part part = { sight->bodies, sight->summary, NULL };

	/* Several parts may have the deepest cell. */
	if (sight->cell.level < FMM_DEEPEST)
		part.spectra =
			STN_ONCE(at, 0, &sight->cell,
				 fmm_spectra_bytes(all->plan, sight->summary),
				 make_spectra, &from);
	return part;
}

/* How many of the near parts share the cell of the first. */
static long
count_sharing(const struct stn_near *near, long count)
{
	long sharing = 1;

	while (sharing < count && share_cell(&near->cell, &near[sharing].cell))
		sharing++;
	return sharing;
}

/* Collects the near parts; unites those of the own cell with @own. */
static void
gather_near(struct stn_cells_at *at, struct gathered *all, struct sight *own)
{
	for (long i = 0, sharing; i < at->near_count; i += sharing) {
		const struct stn_near *near = &at->near[i];
		struct sight sight = look_at_near(all, near);

		sharing = count_sharing(near, at->near_count - i);
		if (share_cell(&near->cell, &own->cell)) {
			*own = unite(all, own, near, sharing);
			continue;
		}
		if (sharing > 1)
			sight = unite(all, &sight, near + 1, sharing - 1);
		all->near[all->near_count++] = describe(at, all, &sight);
	}
}

/* Of united parts, the own particles come first. */
static struct fmm_task
gather(struct stn_cells_at *at, struct gathered *all)
{
	struct sight own =
		look_at(all->plan, &at->cell, at->count, at->summary);

	gather_near(at, all, &own);
	for (long i = 0; i < at->far_count; i++)
		all->far[i] = at->far[i].brief;
	all->fields = malloc((size_t)at->count * sizeof(*all->fields));
	need(all->fields);
	return (struct fmm_task){
		.own = describe(at, all, &own),
		.near = all->near,
		.near_count = all->near_count,
		.far = all->far,
		.far_count = (size_t)at->far_count,
		.count = (size_t)at->count,
	};
}

STN_CELLS_KERNEL(nbody_evaluate, struct nbody_particle, struct nbody_world,
		 world, struct nbody_method, method, double, strength, double,
		 kick)
{
	const struct fmm_plan *plan = nbody_plan(&method);
	struct stn_cells_at *any = (struct stn_cells_at *)at;
	struct gathered all = allocate(any, plan, strength);
	struct fmm_task task = gather(any, &all);
	struct fmm_work work;

	need(!fmm_evaluate(plan, &all.space, &task, all.fields, &work));
	nbody_set(at->records, (uint64_t)at->count, all.fields);
	if (kick > 0)
		nbody_kick(&world, at->records, (uint64_t)at->count, kick);
	at->work = (uint64_t)fmm_cost(plan, &work);
	drop(&all);
}

void
nbody_forces_cells(STN_FRAME, struct stn_parts *cells,
		   const struct nbody_world *world,
		   const struct nbody_method *method, double strength,
		   double kick)
{
	STN_SUMMARISE(cells, nbody_summarise, nbody_combine, *method, strength);
	STN_CELLS_REACH(cells, nbody_reach, nbody_evaluate, *world, *method,
			strength, kick);
}
