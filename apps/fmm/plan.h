/*
 * plan.h: the tables of a plan. Lengths within a cell are in units of half its
 * edge, so that one table serves all levels.
 */
#ifndef FMM_PLAN_H
#define FMM_PLAN_H

#include "apps/fmm/fmm.h"
#include "apps/fmm/wide.h"

/* How far the two surfaces around a cell are from its centre. */
#define INNER 1.05 /* has the charges that stand for the cell's particles */
#define OUTER 2.95 /* has the charges that stand for far particles */

#define CLASSES 8 /* even or odd along each axis */

/*
 * A surface's points, sorted by class: bit 0 of the class is set if x is on the
 * high side, and so on. After folding, the rows of a class have its parity.
 */
struct surface {
	unsigned order, count, padded;
	uint8_t (*at)[3];	       /* in the grid of order^3 points */
	unsigned first[CLASSES + 1];   /* of each class */
	double *unit[3];	       /* between -1 and 1, padded */
	struct mirrored *pairs[3];
	struct symmetry symmetry; /* the same pairs */
};

/*
 * A pseudo-inverse in two factors, which keeps it stable, for one class: first
 * @ranks rows, then @ranks columns.
 */
struct factors {
	unsigned rank;
	double *first, *second;
};

struct fmm_plan {
	const struct wide *wide;
	struct surface surface;
	unsigned leaf;
	bool exact;  /* pairs are computed to the last bits */
	bool single; /* spectra are in single precision */
	size_t real; /* bytes of an element of a spectrum */

	/* From potentials on the outer surface to charges on the inner. */
	struct factors up[CLASSES];
	/* From potentials on the inner surface to charges on the outer. */
	struct factors down[CLASSES];
	/* From charges of child 0 to potentials around its parent; back. */
	double *to_parent, *to_child;

	struct fourier fourier;
	double *cosine, *sine;
	size_t frequencies; /* of all planes */
	void *kernel;	    /* [frequency][NEIGHBOURS][LANES][SPECTRAL] */

	struct points inner, outer; /* the unit surface times INNER and OUTER */
	double *scaled[2];	    /* their coordinates */
};

/* Aligned to 64 bytes; freed by free(). */
void *plan_allocate(size_t bytes);

/* plan_first: the number of the first frequency of a plane, in all planes. */
static inline size_t
plan_first(const struct fmm_plan *plan, unsigned plane)
{
	size_t n = plan->fourier.length;

	return plane ? (n * n + 1) / 2 + (plane - 1) * n * n : 0;
}

/*
 * plan_columns: frequencies of row b of a plane that are computed. In plane 0
 * the others are conjugates.
 */
static inline unsigned
plan_columns(const struct fmm_plan *plan, unsigned plane, unsigned b)
{
	unsigned n = plan->fourier.length, p = plan->fourier.order;

	return plane ? n : b == 0 ? p : b < p ? n : 0;
}

/* plan_kernel: sets the plan's spectra of 1 / distance; 0, or -1. */
int plan_kernel(struct fmm_plan *plan);

/*
 * plan_charges: replaces potentials on the outer surfaces of an octet's
 * children by charges on the inner ones; plan_outer: potentials on the inner
 * ones by charges on the outer ones. @scratch has LANES * count doubles.
 */
void plan_charges(const struct fmm_plan *plan, double *rows, double *scratch);
void plan_outer(const struct fmm_plan *plan, double *rows, double *scratch);

#endif
