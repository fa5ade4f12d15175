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

#define PARITIES 8 /* even or odd along each axis */

/*
 * A surface's points, sorted by parity: bit 0 of that is set if x is on the
 * high side, and so on. After folding, these rows have odd parity along x.
 */
struct surface {
	unsigned order, count, padded;
	uint8_t (*at)[3];	      /* in the grid of order^3 points */
	unsigned first[PARITIES + 1]; /* of each parity */
	double *unit[3];	      /* between -1 and 1, padded */
	struct mirrored *pairs[3];
	struct symmetry symmetry; /* the same pairs */
};

/*
 * A pseudo-inverse in two factors, which keeps it stable, for one parity: first
 * @ranks rows, then @ranks columns.
 */
struct factors {
	unsigned rank;
	double *first, *second;
};

#define SHARING_MOST 8 /* frequencies of a plane that share a kernel */

struct fmm_plan {
	const struct wide *wide;
	struct surface surface;
	unsigned leaf;
	bool exact;  /* pairs are computed to the last bits */
	bool single; /* spectra are in single precision */
	size_t real; /* bytes of an element of a spectrum */

	/* From potentials on the outer surface to charges on the inner. */
	struct factors up[PARITIES];
	/* From potentials on the inner surface to charges on the outer. */
	struct factors down[PARITIES];
	/* From charges of child 0 to potentials around its parent; back. */
	double *to_parent, *to_child;

	struct fourier fourier;
	double *cosine, *sine;
	/* All planes' frequencies; first those of plane 0. */
	struct frequency *frequencies;
	size_t first[FMM_ORDER_MOST + 1]; /* of each plane, and of none */
	struct turned *turned;		  /* TURNS ways */
	/*
	 * Spectra of the kernel: [frequency.kernel][NEIGHBOURS][LANES]
	 * [SPECTRAL] reals.
	 */
	void *kernel;

	struct points inner, outer; /* the unit surface times INNER and OUTER */
	double *scaled[2];	    /* their coordinates */
};

/* Aligned to 64 bytes; freed by free(). */
void *plan_allocate(size_t bytes);

/* The number of bytes of one frequency of the kernel. */
static inline size_t
plan_kernel_bytes(const struct fmm_plan *plan)
{
	return NEIGHBOURS * LANES * SPECTRAL * plan->real;
}

/* The number of bytes of an octet's spectrum, at all frequencies. */
static inline size_t
plan_spectrum_bytes(const struct fmm_plan *plan)
{
	return plan->first[plan->fourier.order] * SPECTRAL * plan->real;
}

/* plan_kernel: sets the kernel's spectra, for plan->fourier; 0, or -1. */
int plan_kernel(struct fmm_plan *plan);

/* plan_frequencies: sets fourier, frequencies, first and turned; 0, or -1. */
int plan_frequencies(struct fmm_plan *plan);

/*
 * plan_charges: replaces potentials on the outer surfaces of an octet's
 * children by charges on the inner ones; plan_outer: potentials on the inner
 * ones by charges on the outer ones. @scratch has LANES * count doubles.
 */
void plan_charges(const struct fmm_plan *plan, double *rows, double *scratch);
void plan_outer(const struct fmm_plan *plan, double *rows, double *scratch);

#endif
