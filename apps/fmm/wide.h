/*
 * wide.h: the innermost loops, for each width of vectors.
 *
 * An octet is the eight children of a cell. Arrays of octets have a row of
 * eight doubles for each point of a surface: one for each child. Rows are
 * aligned to 64 bytes.
 */
#ifndef FMM_WIDE_H
#define FMM_WIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/fmm/fmm.h"

#define LANES 8	    /* the children of an octet; also the padding of targets */
#define SPECTRAL 16 /* reals of one frequency: eight real, eight imaginary */
#define NEIGHBOURS 26

/* Points that potentials are computed at. Each array has padding to LANES. */
struct points {
	const double *x, *y, *z;
	size_t count;
};

/* Two points of a surface that are mirror images, the lower one first. */
struct mirrored {
	uint16_t low, high;
};

/* A surface's symmetry: mirrored points along x, y and z. */
struct symmetry {
	const struct mirrored *pairs[3];
	size_t counts[3];
};

/* The arithmetic of Fourier transforms in one plane of frequencies. */
struct fourier {
	unsigned order, length; /* 2 * order - 1 */
	unsigned points;
	const uint8_t (*at)[3];	     /* each point's place in the grid */
	const double *cosine, *sine; /* of 2 pi k / length */
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
	uint8_t lane[LANES]; /* the reverse: the lane of each child */
	uint8_t row[NEIGHBOURS];
};

/* Some frequencies of one plane. */
struct frequencies {
	const struct frequency *list;
	size_t count;
	size_t length; /* of a row of the plane */
	const struct turned *turned;
};

/* An octet that is translated, and where it is from the target. */
struct neighbour {
	uint32_t octet;
	uint32_t at; /* one of NEIGHBOURS */
};

struct wide {
	const char *name;
	bool fused; /* products are fused with sums */
	/*
	 * Adds the effects of @bodies to the potentials and gradients @sums at
	 * @points. @sums has the potentials, then x, y and z of the gradients,
	 * each @stride doubles from the last. If not @exact, the relative error
	 * of a pair is below 3e-8.
	 */
	void (*fields)(bool exact, const struct points *points,
		       const struct fmm_body *bodies, size_t count,
		       double *sums, size_t stride);
	/* Sets @sums to the potentials of @bodies at @points. */
	void (*potentials)(bool exact, const struct points *points,
			   const struct fmm_body *bodies, size_t count,
			   double *sums);
	/*
	 * Sets the @rows of @to to a matrix times the @columns rows of @from.
	 */
	void (*multiply)(const double *matrix, size_t rows, size_t columns,
			 const double *from, double *to);
	/*
	 * Replaces each two mirrored rows by the sum and the difference,
	 * divided by the square root of 2. The function is its own inverse.
	 */
	void (*fold)(const struct symmetry *symmetry, double *rows);
	/*
	 * Mirrors the surface of each child that is on the high side, in that
	 * direction. The function is its own inverse.
	 */
	void (*mirror)(const struct symmetry *symmetry, double *rows);
	/*
	 * Transforms an octet's rows to frequencies (@plane, b, a) as
	 * SPECTRAL doubles each, in an array over b and a.
	 * @scratch  length * order * SPECTRAL doubles
	 */
	void (*forward)(const struct fourier *fourier, unsigned plane,
			const double *rows, double *scratch, double *spectrum);
	/* Adds to @rows what these frequencies contribute. Spoils nothing. */
	void (*inverse)(const struct fourier *fourier, unsigned plane,
			const double *spectrum, double *scratch, double *rows);
	/*
	 * Sets @spectrum to the listed elements of an array over b and a, times
	 * @scale, in the list's order, with turned children; and the reverse.
	 */
	void (*take_floats)(const struct frequencies *from, const double *plane,
			    double scale, float *spectrum);
	void (*take_doubles)(const struct frequencies *from,
			     const double *plane, double scale,
			     double *spectrum);
	void (*give_floats)(const struct frequencies *to, const float *spectrum,
			    double scale, double *plane);
	void (*give_doubles)(const struct frequencies *to,
			     const double *spectrum, double scale,
			     double *plane);
	/*
	 * Translations to one octet, for consecutive @frequencies, from
	 * @first on, that share one spectrum of the kernel: sets @sums to the
	 * sum, over @count neighbours and their children, of the child's
	 * spectrum times the kernel.
	 * @kernel   for each neighbour, for each of its children: SPECTRAL
	 *           reals for all children of the octet
	 * @spectra  of all octets; SPECTRAL reals for each frequency
	 * @rows     for each frequency, for each neighbour: which of
	 *           @kernel's neighbours is the right one
	 */
	void (*translate_floats)(const float *kernel,
				 const float *const *spectra,
				 const struct neighbour *near, size_t count,
				 const uint8_t *const *rows, size_t first,
				 size_t frequencies, float *sums);
	void (*translate_doubles)(const double *kernel,
				  const double *const *spectra,
				  const struct neighbour *near, size_t count,
				  const uint8_t *const *rows, size_t first,
				  size_t frequencies, double *sums);
};

/*
 * wide_find: the best one of this name, or of any for NULL, and of this
 * arithmetic; NULL if there is none.
 */
const struct wide *wide_find(const char *name,
			     enum fmm_arithmetic arithmetic);

#endif
