/*
 * fmm.h: potentials and gradients of charges that repel by Coulomb's law (or of
 * masses that attract), by the fast multipole method.
 *
 *	potential of i = sum over j of charge[j] / |x[i] - x[j]|
 *	gradient of i = its derivative by x[i]
 *
 * A particle has no effect on itself, nor on particles at the same point (those
 * less than 1e-100 away).
 *
 * The method is the kernel-independent one of Ying, Biros and Zorin (Journal of
 * Computational Physics 196, 2004): charges on a cube's surface around a cell
 * stand for the particles in the cell. Translations between cells of one size
 * are products of Fourier transforms.
 *
 * Work is divided into parts. A part is the particles of one octree cell. The
 * computation of one part's fields needs
 *
 *	the particles and summaries of the parts next to it,
 *	the roots of the summaries of cells far away,
 *
 * and fmm_reach() says which. The steps for a program with several parts:
 *
 *	1. fmm_plan_create, once in each process
 *	2. fmm_summarise for each part
 *	3. fmm_combine for each cell above the parts, from the parts upwards
 *	4. fmm_evaluate for each part
 *
 * fmm_whole does all this for a program without parts.
 *
 * All results of one arithmetic (fmm_options) have the same bits on all
 * processors, whatever the width of their vectors. FMM_FUSED: AVX-512, AVX2, and
 * NEON on 64-bit ARM, where the isa is called plain. FMM_UNFUSED: plain on
 * x86-64, and unfused elsewhere, which all processors there have.
 *
 * Functions that return int return 0, or -1 if memory is exhausted. All
 * functions may be called by several threads at once.
 */
#ifndef FMM_H
#define FMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FMM_DEEPEST 21 /* levels of cells below the one that has everything */
#define FMM_ORDER_LEAST 2
#define FMM_ORDER_MOST 12

struct fmm_body {
	double x, y, z, charge;
};

struct fmm_field {
	double potential;
	double x, y, z; /* of the gradient */
};

struct fmm_plan; /* see fmm_plan_create */

/* The cube that has all particles: the octree's cell of level 0. */
struct fmm_space {
	double x, y, z; /* its corner with the least coordinates */
	double size;
	/*
	 * The sum of the absolute values of all charges, at least roughly: the
	 * library computes in single precision where that suffices, and scales
	 * charges by this number.
	 */
	double charge;
};

/* A cell of the octree. Its level has 2^level cells along each edge. */
struct fmm_place {
	uint32_t level, x, y, z;
};

/*
 * fmm_space: the smallest cube with all of @bodies, and their charge. With no
 * particles, or all at one point, the cube has the size 1.
 */
struct fmm_space fmm_space(const struct fmm_body *bodies, size_t count);

/*
 * fmm_across: how many undivided cells should lie along the edge of a cube with
 * @count uniform particles, so that the computation takes the least time: an even
 * number up to 1024, or 0 if it takes at most a tenth longer with the power of two
 * that it has otherwise. fmm_divide: enlarges the space so that the cube that it
 * is now has so many cells of one level along its edge, from the lowest corner on;
 * 0 changes nothing.
 */
unsigned fmm_across(const struct fmm_plan *plan, size_t count);
void fmm_divide(struct fmm_space *space, unsigned across);

/*
 * fmm_key: the Morton key of the deepest cell that has the particle. The cell
 * of level n has the keys with its own first 3 * n of 63 bits. Particles
 * outside the space belong to cells at its surface, and make results
 * inaccurate.
 */
uint64_t fmm_key(const struct fmm_space *space, const struct fmm_body *body);

/*
 * fmm_recentre: moves a space that is far from the origin of coordinates to it:
 * the caller subtracts @away from all coordinates, which is exact. Otherwise
 * the places of cells would be rounded as coarsely as the coordinates are.
 */
void fmm_recentre(struct fmm_space *space, double away[3]);

/* fmm_place: the cell of @level that has the keys like @key. */
struct fmm_place fmm_place(uint64_t key, uint32_t level);

/*
 * fmm_sort: writes the numbers of @bodies to @order, sorted by key. Particles
 * with one key keep their order.
 */
int fmm_sort(const struct fmm_space *space, const struct fmm_body *bodies,
	     size_t count, uint32_t *order);

/* How products are added: with one rounding, or with two. */
enum fmm_arithmetic { FMM_ANY, FMM_FUSED, FMM_UNFUSED };

struct fmm_options {
	double error;	 /* wanted, see fmm_order; for order 0 */
	bool both_signs; /* of charges; see fmm_order */
	unsigned order;	 /* points along an edge of a surface, or 0 */
	unsigned leaf;	 /* most particles in a cell that isn't divided, or 0 */
	const char *isa; /* a name from fmm_isa_name, or NULL for the best */
	enum fmm_arithmetic arithmetic;
};

/*
 * Tables for all computations of one order. Nothing changes them after
 * fmm_plan_create. The plan's bits depend on the options only, and all nodes of
 * a run need plans of equal options, apart from the isa; so they must agree on
 * the arithmetic.
 */
struct fmm_plan;

/*
 * fmm_order: the least order whose relative error is at most @error: the
 * square root of sum (difference)^2 / sum (potential)^2, over particles of
 * charges of one sign or of @both_signs, as measured (README.md has the table).
 * The gradient's error is about five times as large for charges of both signs;
 * of charges of one sign, it is up to a hundred times as large.
 */
unsigned fmm_order(double error, bool both_signs);

/*
 * Returns NULL if memory is exhausted, or the processor lacks the isa or the
 * arithmetic.
 */
struct fmm_plan *fmm_plan_create(const struct fmm_options *options);

void fmm_plan_free(struct fmm_plan *plan);

/* fmm_isa: the vectors that a plan uses. */
const char *fmm_isa(const struct fmm_plan *plan);

/* fmm_isa_name: those that this processor has, the best first, then NULL. */
const char *fmm_isa_name(unsigned number);

/*
 * The root of a summary: all that far cells need. It has fmm_root_bytes() bytes
 * and no pointers.
 */
struct fmm_root {
	struct fmm_place place;
	uint64_t count;	  /* particles */
	double charges[]; /* on the cell's surface */
};

size_t fmm_root_bytes(const struct fmm_plan *plan);

/*
 * A summary of a part: the root, then what parts next to it need. It has no
 * pointers, and may be copied to other nodes, to memory aligned to 8 bytes. The
 * size depends on the particles.
 */
struct fmm_summary;

/*
 * fmm_summarise: builds the cells of the part at @place from @bodies, which
 * must be sorted by their keys, and the charges on the cells' surfaces.
 * @summary_p  the caller frees it by free().
 */
int fmm_summarise(const struct fmm_plan *plan, const struct fmm_space *space,
		  struct fmm_place place, const struct fmm_body *bodies,
		  size_t count, struct fmm_summary **summary_p);

size_t fmm_summary_bytes(const struct fmm_summary *summary);

const struct fmm_root *fmm_summary_root(const struct fmm_summary *summary);

/*
 * fmm_combine: makes the root of a cell from those of its children. Children
 * without particles may be missing. @root has fmm_root_bytes() bytes.
 */
int fmm_combine(const struct fmm_plan *plan, struct fmm_place place,
		const struct fmm_root *const *children, size_t count,
		struct fmm_root *root);

/*
 * fmm_reach: what the part at @mine needs of the cell at @other. The caller
 * begins with the cell of level 0, and goes on with a cell's children where the
 * cell must be opened. A part that must be opened gives its particles and its
 * summary. Empty cells may be left out.
 */
enum fmm_reach {
	FMM_ROOT, /* its root */
	FMM_OPEN, /* its children, or all of the part */
	FMM_BOTH, /* both, where @other is smaller than @mine */
};

enum fmm_reach fmm_reach(struct fmm_place mine, struct fmm_place other);

/* A part with the data that parts next to it need. */
struct fmm_part {
	const struct fmm_body *bodies;
	const struct fmm_summary *summary;
	/* From fmm_spectra, or NULL: then fmm_evaluate computes them. */
	const void *spectra;
};

/*
 * fmm_spectra: the Fourier transforms of a part's charges. A process that
 * evaluates several parts next to the part saves time if it makes these once.
 * @spectra  aligned to 8 bytes, fmm_spectra_bytes() bytes
 */
size_t fmm_spectra_bytes(const struct fmm_plan *plan,
			 const struct fmm_summary *summary);
int fmm_spectra(const struct fmm_plan *plan, const struct fmm_space *space,
		const struct fmm_summary *summary, void *spectra);

/*
 * Counted work. The work of a part is the same on all machines and for all
 * schedulers.
 */
struct fmm_work {
	uint64_t pairs;	  /* of particles */
	uint64_t surface; /* pairs of a particle and a point of a surface */
	uint64_t translations; /* of eight cells to eight cells */
	uint64_t cells;
};

/*
 * fmm_cost: work as a number, in units of one pair of particles, by weights
 * measured for the plan's order.
 */
double fmm_cost(const struct fmm_plan *plan, const struct fmm_work *work);

/* What fmm_evaluate reads for one part. It changes none of this. */
struct fmm_task {
	struct fmm_part own;
	const struct fmm_part *near; /* parts that must be opened, not @own */
	size_t near_count;
	/*
	 * The roots that fmm_reach asks for, in any order, but the same order
	 * for the same bits. Roots of parts in @near may be missing.
	 */
	const struct fmm_root *const *far;
	size_t far_count;
	/*
	 * The own particles whose fields are computed; if @count is 0, all. So
	 * several tasks can share the work of a part that can't be divided. The
	 * bits of a field do not depend on this.
	 */
	size_t first, count;
};

/*
 * fmm_evaluate: computes the fields of the own part's particles, or of those
 * that the task names.
 * @fields  set, in the order of the part's bodies
 * @work    set to the work that has been done; may be NULL
 */
int fmm_evaluate(const struct fmm_plan *plan, const struct fmm_space *space,
		 const struct fmm_task *task, struct fmm_field *fields,
		 struct fmm_work *work);

/* fmm_count: sets @work to what fmm_evaluate would do, in much less time. */
int fmm_count(const struct fmm_plan *plan, const struct fmm_space *space,
	      const struct fmm_task *task, struct fmm_work *work);

/*
 * fmm_whole: computes the fields of all particles, in any order, as one part.
 * @work  may be NULL
 */
int fmm_whole(const struct fmm_plan *plan, const struct fmm_body *bodies,
	      size_t count, struct fmm_field *fields, struct fmm_work *work);

/*
 * fmm_by_parts: computes the fields of particles that are sorted by their keys,
 * in parts of at most @most particles each, one after the other. by_parts.c
 * shows how the functions above work together.
 */
int fmm_by_parts(const struct fmm_plan *plan, const struct fmm_space *space,
		 const struct fmm_body *bodies, size_t count, size_t most,
		 struct fmm_field *fields, struct fmm_work *work);

/*
 * fmm_direct: computes the fields of @bodies[@which[0]] ... by adding the
 * effects of all @count particles, for comparison.
 */
void fmm_direct(const struct fmm_body *bodies, size_t count,
		const uint32_t *which, size_t which_count,
		struct fmm_field *fields);

#endif
