/*
 * cells.c: arrays of cells of many kinds, compared with plain loops over one
 * array. In each step the records count their neighbours within a distance, add
 * up the masses of all others by a tree, and move; then they are cut anew.
 * Prints a line for each kind, and a hash of all bits at the end.
 *
 *	cells [RECORDS [MOST [STEPS]]]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sateen_cells.h>

#define RADIUS 0.07
#define SUMMARY_BYTES 100 /* of a summary: more than its brief */

enum kind { UNIFORM, CLUSTERS, POINT, PLANE, KINDS };
static const char *const kind_names[] = { "uniform", "clusters", "one point",
					  "plane" };

struct body {
	double mass, at[3];
	double speed[3];
	long neighbours;
	double pull;
};

struct brief {
	double mass, at[3];
};

/* A number from 0 to 1 that follows from @seed. */
static double
hash_number(uint64_t seed)
{
	seed += UINT64_C(0x9e3779b97f4a7c15);
	seed = (seed ^ seed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	seed = (seed ^ seed >> 27) * UINT64_C(0x94d049bb133111eb);
	return (double)((seed ^ seed >> 31) >> 11) * 0x1p-53;
}

static struct body
make_body(uint64_t index, long kind)
{
	struct body body = { .mass = 1 + hash_number(index * 8) };

	for (int d = 0; d < 3; d++) {
		double x = hash_number(index * 8 + 1 + (uint64_t)d);

		if (kind == CLUSTERS)
			x = index % 3 ? pow(x, 8) : 0.9 + x * x * x * 0.001;
		else if (kind == POINT)
			x = 0.3;
		else if (kind == PLANE && d == 1)
			x = -2;
		body.at[d] = x;
		body.speed[d] = hash_number(index * 8 + 4 + (uint64_t)d) - 0.5;
	}
	return body;
}

STN_CELLS_KERNEL(cells_fill, struct body, long, kind)
{
	for (long i = 0; i < at->count; i++)
		at->records[i] = make_body((uint64_t)(at->first + i), kind);
}

static bool
is_within(const double *a, const double *b)
{
	double sum = 0;

	for (int d = 0; d < 3; d++)
		sum += (a[d] - b[d]) * (a[d] - b[d]);
	return sum <= RADIUS * RADIUS;
}

static long
count_within(const struct body *body, const struct body *others, long count)
{
	long found = 0;

	for (long i = 0; i < count; i++)
		found += is_within(body->at, others[i].at);
	return found;
}

/* The distance of two cubes. */
static double
distance(const struct stn_cell *a, const struct stn_cell *b)
{
	double sum = 0;

	for (int d = 0; d < 3; d++) {
		double gap = fmax(b->low[d] - a->low[d] - a->width,
				  a->low[d] - b->low[d] - b->width);

		sum += gap > 0 ? gap * gap : 0;
	}
	return sqrt(sum);
}

STN_REACH(cells_within)
{
	return distance(mine, other) <= RADIUS * 1.0001 ? STN_REACH_OPEN
							: STN_REACH_SKIP;
}

STN_CELLS_KERNEL(cells_count, struct body)
{
	for (long i = 0; i < at->count; i++) {
		struct body *body = &at->records[i];

		body->neighbours = count_within(body, at->records, at->count);
		for (long j = 0; j < at->near_count; j++)
			body->neighbours += count_within(
				body, at->near[j].records, at->near[j].count);
		at->work += (uint64_t)at->count;
	}
}

/* The mass of a cell, and its centre. */
STN_CELLS_KERNEL(cells_summary, struct body)
{
	struct brief *brief = (struct brief *)STN_ROOM(at, SUMMARY_BYTES);

	for (long i = 0; i < at->count; i++) {
		brief->mass += at->records[i].mass;
		for (int d = 0; d < 3; d++)
			brief->at[d] +=
				at->records[i].mass * at->records[i].at[d];
	}
	for (int d = 0; d < 3; d++)
		brief->at[d] /= brief->mass;
	memset((char *)brief + sizeof(*brief), 77,
	       SUMMARY_BYTES - sizeof(*brief));
}

STN_COMBINE(cells_combine)
{
	struct brief *brief = (struct brief *)at->brief;

	for (long i = 0; i < at->count; i++) {
		const struct brief *child =
			(const struct brief *)at->child[i].brief;

		brief->mass += child->mass;
		for (int d = 0; d < 3; d++)
			brief->at[d] += child->mass * child->at[d];
	}
	for (int d = 0; d < 3; d++)
		brief->at[d] /= brief->mass;
}

STN_REACH(cells_far)
{
	if (distance(mine, other) > other->width)
		return STN_REACH_TAKE;
	/* Its brief is not used, but is there. */
	return other->level % 2 ? STN_REACH_BOTH : STN_REACH_OPEN;
}

static double
pull_of(const double *a, const double *b, double mass)
{
	double sum = 0.01;

	for (int d = 0; d < 3; d++)
		sum += (a[d] - b[d]) * (a[d] - b[d]);
	return mass / sqrt(sum);
}

static double
pull_of_all(const double *a, const struct body *others, long count)
{
	double pull = 0;

	for (long i = 0; i < count; i++)
		pull += pull_of(a, others[i].at, others[i].mass);
	return pull;
}

/* The same value from all parts: twice the mass of the cell. */
static void
make_twice(void *to, size_t bytes, const struct stn_cell *cell,
	   const void *argument)
{
	double twice = 2 * ((const struct brief *)argument)->mass;

	(void)cell;
	memcpy(to, &twice, bytes);
}

STN_CELLS_KERNEL(cells_pull, struct body)
{
	for (long i = 0; i < at->count; i++) {
		struct body *body = &at->records[i];

		body->pull = pull_of_all(body->at, at->records, at->count);
		for (long j = 0; j < at->near_count; j++)
			body->pull += pull_of_all(body->at, at->near[j].records,
						  at->near[j].count);
		for (long j = 0; j < at->far_count; j++) {
			const struct brief *far =
				(const struct brief *)at->far[j].brief;
			const double *twice = (const double *)STN_ONCE(
				at, 3, &at->far[j].cell, sizeof(double),
				make_twice, far);

			if (distance(&at->cell, &at->far[j].cell) >
			    at->far[j].cell.width)
				body->pull +=
					pull_of(body->at, far->at, *twice / 2);
		}
	}
	for (long j = 0; j < at->near_count; j++)
		if (at->near[j].summary_bytes != SUMMARY_BYTES ||
		    ((const char *)at->near[j].summary)[SUMMARY_BYTES - 1] !=
			    77)
			at->records[0].pull = NAN;
}

STN_CELLS_KERNEL(cells_move, struct body, double, step)
{
	for (long i = 0; i < at->count; i++)
		for (int d = 0; d < 3; d++)
			at->records[i].at[d] += at->records[i].speed[d] * step;
}

/* Whether the part's records are in its cell, and in order. */
STN_CELLS_MEASURE(cells_wrong, struct body, long, most)
{
	double wrong = at->count > most;

	for (long i = 0; i < at->count; i++)
		for (int d = 0; d < 3; d++) {
			double x = at->records[i].at[d] - at->cell.low[d];

			wrong += x < -1e-9 || x > at->cell.width * (1 + 1e-9);
		}
	return wrong;
}

STN_CELLS_MEASURE(cells_mass, struct body)
{
	double sum = 0;

	for (long i = 0; i < at->count; i++)
		sum += at->records[i].mass;
	return sum;
}

STN_CELLS_MEASURE(cells_largest, struct body)
{
	double most = 0;

	for (long i = 0; i < at->count; i++)
		most = fmax(most, at->records[i].mass);
	return most;
}

static uint64_t
mix(uint64_t hash, const void *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		hash = (hash ^ ((const unsigned char *)bytes)[i]) *
		       UINT64_C(0x100000001b3);
	return hash;
}

/* What the plain loops find of @count bodies. */
static bool
plain_agrees(const struct body *bodies, long count, double mass, double largest)
{
	double sum = 0, most = 0;
	bool right = true;

	for (long i = 0; i < count; i++) {
		double pull = pull_of_all(bodies[i].at, bodies, count);

		sum += bodies[i].mass;
		most = fmax(most, bodies[i].mass);
		right &= bodies[i].neighbours ==
			 count_within(&bodies[i], bodies, count);
		right &= fabs(bodies[i].pull - pull) < 0.05 * pull;
	}
	return right && fabs(sum - mass) <= 1e-9 * sum && most == largest;
}

/* How many cells lie along the extent of all records; 0: a power of two. */
static uint32_t
across_of(long kind)
{
	return 3 * (uint32_t)kind;
}

STN_CELLS_MEASURE(cells_width, struct body)
{
	return at->whole.width;
}

static double
extent_of(const struct body *bodies, long count)
{
	double most = 0;

	for (int d = 0; d < 3; d++) {
		double low = INFINITY, high = -INFINITY;

		for (long i = 0; i < count; i++) {
			low = fmin(low, bodies[i].at[d]);
			high = fmax(high, bodies[i].at[d]);
		}
		most = fmax(most, high - low);
	}
	return most > 0 ? most : 1;
}

/* Whether the cube of all records is as large as the option .across says. */
static bool
width_is_right(double width, const struct body *bodies, long count, long kind)
{
	double across = across_of(kind), cells = 1;

	while (cells < across)
		cells *= 2;
	if (across > 0)
		width *= across / cells;
	return !count || fabs(width / extent_of(bodies, count) - 1) < 1e-8;
}

/* The state after the steps so far. Returns whether it is right. */
static bool
step_is_right(STN_FRAME, struct stn_parts *cells, struct body *bodies,
	      long count, long most, long kind, uint64_t *hash)
{
	double mass, wrong, width;

	wrong = STN_CELLS_SUM(cells, cells_wrong, most);
	STN_CELLS_REACH(cells, cells_within, cells_count);
	STN_SUMMARISE(cells, cells_summary, cells_combine);
	STN_CELLS_REACH(cells, cells_far, cells_pull);
	mass = STN_CELLS_SUM(cells, cells_mass);
	width = STN_CELLS_MAX(cells, cells_width);
	/* In windows, of which the last may be smaller. */
	for (long i = 0; i < count; i += 1000)
		STN_CELLS_GET(cells, i, count - i < 1000 ? count - i : 1000,
			      bodies + i);
	*hash = mix(*hash, bodies, (size_t)count * sizeof(bodies[0]));
	*hash = mix(*hash, &mass, sizeof(mass));
	return wrong == 0 && width_is_right(width, bodies, count, kind) &&
	       plain_agrees(bodies, count, mass,
			    STN_CELLS_MAX(cells, cells_largest));
}

static bool
kind_is_right(STN_FRAME, long kind, long count, long most, long steps,
	      uint64_t *hash)
{
	struct stn_parts *cells = STN_CELLS(
		struct body, count, .place = offsetof(struct body, at),
		.most = (uint32_t)most, .brief = sizeof(struct brief),
		.across = across_of(kind));
	struct body *bodies = (struct body *)malloc((size_t)(count + 1) *
						    sizeof(struct body));
	bool right = true;

	STN_CELLS_FILL(cells, cells_fill, kind);
	for (long i = 0; i < steps; i++) {
		right &= step_is_right(STN_PASS_FRAME, cells, bodies, count,
				       most, kind, hash);
		if (i == 1)
			STN_CELLS_PUT(cells, bodies);
		STN_CELLS_SWEEP(cells, cells_move, 0.1);
		STN_REHASH(cells);
	}
	STN_GRID_FREE(cells);
	free(bodies);
	return right;
}

STN_MAIN(argc, argv)
{
	long count = argc > 1 ? atol(argv[1]) : 2000;
	long most = argc > 2 ? atol(argv[2]) : 50;
	long steps = argc > 3 ? atol(argv[3]) : 3;
	uint64_t hash = 1;

	for (long kind = 0; kind < KINDS; kind++)
		printf("%s: %s\n", kind_names[kind],
		       kind_is_right(STN_PASS_FRAME, kind, count, most, steps,
				     &hash)
			       ? "right"
			       : "WRONG");
	printf("hash = %016llx\n", (unsigned long long)hash);
	return 0;
}
