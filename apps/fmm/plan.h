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

/*
 * A frequency that is computed; its conjugate isn't. Turning or mirroring a
 * frequency does the same to the kernel's spectrum. So spectra of cells are
 * stored with their children in another order, and one spectrum of the kernel
 * serves up to 24 frequencies.
 */
struct frequency {
	uint8_t a, b; /* along x and y */
	uint8_t turned;
	uint16_t kernel;
};

#define TURNS 48

/* The child in each lane, and which neighbour of the kernel is each one's. */
struct turned {
	uint8_t child[LANES];
	uint8_t row[NEIGHBOURS];
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
	struct factors up[CLASSES];
	/* From potentials on the inner surface to charges on the outer. */
	struct factors down[CLASSES];
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
