/*
 * exafmm: measures exafmm-t in one thread, for `make bench-fmm`.
 *
 *	exafmm ORDER LEAF FILE FIELDS
 *
 * Reads particles from a file of bench_fmm, prints the seconds of processor
 * time without the precomputation, and writes the fields.
 */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "build_tree.h"
#include "build_list.h"
#include "laplace.h"

using namespace exafmm_t;

static double
processor_seconds()
{
	timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec + now.tv_nsec * 1e-9;
}

static Bodies<real_t>
read_bodies(const char *name)
{
	Bodies<real_t> bodies;
	FILE *file = fopen(name, "r");
	double numbers[4];

	if (!file)
		exit(EXIT_FAILURE);
	while (fread(numbers, sizeof numbers, 1, file) == 1) {
		Body<real_t> body;

		body.ibody = (int)bodies.size();
		for (int d = 0; d < 3; d++)
			body.X[d] = numbers[d];
		body.q = numbers[3];
		bodies.push_back(body);
	}
	fclose(file);
	return bodies;
}

/* exafmm-t's kernel is 1 / (4 pi r). */
static void
write_fields(const NodePtrs<real_t> &leafs, size_t count, const char *name)
{
	std::vector<double> fields(4 * count);
	FILE *file = fopen(name, "w");

	for (auto leaf : leafs)
		for (size_t i = 0; i < leaf->itrgs.size(); i++)
			for (int d = 0; d < 4; d++)
				fields[4 * leaf->itrgs[i] + d] =
					4 * M_PI * leaf->trg_value[4 * i + d];
	if (!file || fwrite(fields.data(), 32, count, file) != count ||
	    fclose(file) != 0)
		exit(EXIT_FAILURE);
}

int
main(int argc, char **argv)
{
	if (argc != 5)
		return EXIT_FAILURE;
	omp_set_num_threads(1);
	Bodies<real_t> sources = read_bodies(argv[3]), targets = sources;
	LaplaceFmm fmm(atoi(argv[1]), atoi(argv[2]),
		       std::string(argv[4]) + ".plan");
	NodePtrs<real_t> leafs, others;
	double begun = processor_seconds(), paused, resumed;

	get_bounds(sources, targets, fmm.x0, fmm.r0);
	Nodes<real_t> nodes = build_tree(sources, targets, leafs, others, fmm);
	init_rel_coord();
	build_list(nodes, fmm);
	paused = processor_seconds();
	fmm.precompute();
	resumed = processor_seconds();
	fmm.M2L_setup(others);
	fmm.upward_pass(nodes, leafs, false);
	fmm.downward_pass(nodes, leafs, false);
	printf("%.4f ", paused - begun + processor_seconds() - resumed);
	write_fields(leafs, sources.size(), argv[4]);
	return 0;
}
