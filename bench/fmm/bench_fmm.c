/*
 * bench_fmm: measures the fast multipole method in one thread.
 *
 *	bench_fmm time DISTRIBUTION COUNT ORDER LEAF PART ISA
 *	bench_fmm write DISTRIBUTION COUNT FILE
 *	bench_fmm check FILE FIELDS
 *
 * time prints the seconds of processor time that the computation took, and the
 * relative errors of potentials and gradients. LEAF 0 is the order's own, PART
 *0 computes everything as one part, and ISA "best" is the best. write writes
 * particles, check prints the errors of fields that another program has
 * computed for them: potential and gradient, in the order of the particles. All
 * numbers are doubles. DISTRIBUTION is uniform, gaussian, corner (the Gaussian
 * in the middle of one octant) or plummer; charges are random between -1 and 1,
 * or with a + behind the name all 1.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "apps/fmm/fmm.h"
#include "apps/random.h"

#define SAMPLES 1000
#define PLUMMER_RADIUS_MOST 100

static struct app_random generator = { 1 };

static void
fail(const char *what)
{
	fprintf(stderr, "bench_fmm: %s\n", what);
	exit(EXIT_FAILURE);
}

static void *
allocate(size_t bytes)
{
	void *memory = malloc(bytes + 1);

	if (!memory)
		fail("no memory");
	return memory;
}

/* A random number from 0 to 1. */
static double
uniform(void)
{
	return (double)app_random(&generator, UINT64_C(1) << 32) /
	       (double)(UINT64_C(1) << 32);
}

static struct fmm_body
uniform_body(void)
{
	return (struct fmm_body){ uniform(), uniform(), uniform(),
				  2 * uniform() - 1 };
}

static struct fmm_body
plummer_body(void)
{
	double radius, across, z = 2 * uniform() - 1,
			       turn = 2 * M_PI * uniform();

	do
		radius = 1 / sqrt(pow(uniform(), -2.0 / 3) - 1);
	while (!(radius < PLUMMER_RADIUS_MOST));
	across = sqrt(1 - z * z);
	return (struct fmm_body){ radius * across * cos(turn),
				  radius * across * sin(turn), radius * z,
				  2 * uniform() - 1 };
}

/* A coordinate inside of the unit cube. */
static double
normal(double centre)
{
	double at;

	do
		at = centre + 0.1 * sqrt(-2 * log(1 - uniform())) *
				      cos(2 * M_PI * uniform());
	while (!(at >= 0 && at < 1));
	return at;
}

static struct fmm_body
gaussian_body(void)
{
	return (struct fmm_body){ normal(0.5), normal(0.5), normal(0.5),
				  2 * uniform() - 1 };
}

static struct fmm_body
corner_body(void)
{
	return (struct fmm_body){ normal(0.25), normal(0.25), normal(0.25),
				  2 * uniform() - 1 };
}

static const struct {
	const char *name;
	struct fmm_body (*body)(void);
} distributions[] = {
	{ "uniform", uniform_body },
	{ "gaussian", gaussian_body },
	{ "corner", corner_body },
	{ "plummer", plummer_body },
};

static struct fmm_body *
make(const char *distribution, size_t count)
{
	struct fmm_body *bodies = allocate(count * sizeof *bodies);
	size_t length = strcspn(distribution, "+");
	size_t i = 0, kinds = sizeof distributions / sizeof distributions[0];

	while (i < kinds && (strncmp(distribution, distributions[i].name,
				     length) != 0 ||
			     distributions[i].name[length]))
		i++;
	if (i == kinds)
		fail("the distributions are uniform, gaussian, corner, "
		     "plummer");
	for (size_t j = 0; j < count; j++) {
		bodies[j] = distributions[i].body();
		if (distribution[length])
			bodies[j].charge = 1;
	}
	return bodies;
}

/* Prints the errors of some fields. */
static void
print_errors(const struct fmm_body *bodies, const struct fmm_field *fields,
	     size_t count)
{
	size_t samples = count < SAMPLES ? count : SAMPLES;
	uint32_t which[SAMPLES] = { 0 };
	struct fmm_field right[SAMPLES];
	double sums[4] = { 0 };

	for (size_t i = 0; i < samples; i++)
		which[i] = (uint32_t)(i * count / samples);
	fmm_direct(bodies, count, which, samples, right);
	for (size_t i = 0; i < samples; i++) {
		const struct fmm_field *a = &fields[which[i]], *b = &right[i];

		sums[0] += pow(a->potential - b->potential, 2);
		sums[1] += pow(b->potential, 2);
		sums[2] += pow(a->x - b->x, 2) + pow(a->y - b->y, 2) +
			   pow(a->z - b->z, 2);
		sums[3] += b->x * b->x + b->y * b->y + b->z * b->z;
	}
	printf("%.2e %.2e\n", sqrt(sums[0] / sums[1]), sqrt(sums[2] / sums[3]));
}

static double
processor_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Sorts as fmm_whole does, but computes in parts. */
static int
by_parts(const struct fmm_plan *plan, const struct fmm_body *bodies,
	 size_t count, size_t part, struct fmm_field *fields)
{
	struct fmm_space space = fmm_space(bodies, count);
	uint32_t *order = allocate(count * sizeof *order);
	struct fmm_body *sorted = allocate(count * sizeof *sorted);
	struct fmm_field *found = allocate(count * sizeof *found);
	int status = fmm_sort(&space, bodies, count, order);

	for (size_t i = 0; i < count; i++)
		sorted[i] = bodies[order[i]];
	if (status == 0)
		status = fmm_by_parts(plan, &space, sorted, count, part, found,
				      NULL);
	for (size_t i = 0; i < count; i++)
		fields[order[i]] = found[i];
	free(order);
	free(sorted);
	free(found);
	return status;
}

static int
time_it(char **argv)
{
	size_t count = strtoul(argv[1], NULL, 10);
	size_t part = strtoul(argv[4], NULL, 10);
	struct fmm_options options = {
		.order = (unsigned)atoi(argv[2]),
		.leaf = (unsigned)atoi(argv[3]),
		.isa = strcmp(argv[5], "best") ? argv[5] : NULL,
	};
	struct fmm_body *bodies = make(argv[0], count);
	struct fmm_field *fields = allocate(count * sizeof *fields);
	struct fmm_plan *plan = fmm_plan_create(&options);
	double begun = processor_seconds();
	int status;

	if (!plan)
		fail("no plan: no memory, or an unknown ISA");
	status = part ? by_parts(plan, bodies, count, part, fields)
		      : fmm_whole(plan, bodies, count, fields, NULL);
	if (status < 0)
		fail("no memory");
	printf("%.4f ", processor_seconds() - begun);
	print_errors(bodies, fields, count);
	fmm_plan_free(plan);
	free(bodies);
	free(fields);
	return 0;
}

static int
write_bodies(char **argv)
{
	size_t count = strtoul(argv[1], NULL, 10);
	struct fmm_body *bodies = make(argv[0], count);
	FILE *file = fopen(argv[2], "w");

	if (!file || fwrite(bodies, sizeof *bodies, count, file) != count ||
	    fclose(file) != 0)
		fail("cannot write particles");
	free(bodies);
	return 0;
}

/* Reads all elements of @size bytes; sets *count_p. */
static void *
read_all(const char *name, size_t size, size_t *count_p)
{
	FILE *file = fopen(name, "r");
	void *memory;

	if (!file || fseek(file, 0, SEEK_END) != 0)
		fail("cannot open a file");
	*count_p = (size_t)ftell(file) / size;
	rewind(file);
	memory = allocate(*count_p * size);
	if (fread(memory, size, *count_p, file) != *count_p)
		fail("cannot read a file");
	fclose(file);
	return memory;
}

static int
check(char **argv)
{
	size_t count, fields_count;
	struct fmm_body *bodies = read_all(argv[0], sizeof *bodies, &count);
	struct fmm_field *fields =
		read_all(argv[1], sizeof *fields, &fields_count);

	if (fields_count != count)
		fail("there are not as many fields as particles");
	print_errors(bodies, fields, count);
	free(bodies);
	free(fields);
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc == 8 && strcmp(argv[1], "time") == 0)
		return time_it(argv + 2);
	if (argc == 5 && strcmp(argv[1], "write") == 0)
		return write_bodies(argv + 2);
	if (argc == 4 && strcmp(argv[1], "check") == 0)
		return check(argv + 2);
	fail("usage: bench_fmm time|write|check ARGUMENT...");
}
