/*
 * wide_names.h: the functions that are compiled for each width of vectors. See
 * wide.h for their contracts. FMM_ISA is the width's name.
 */
#ifndef FMM_WIDE_NAMES_H
#define FMM_WIDE_NAMES_H

#include "apps/fmm/vector.h"
#include "apps/fmm/wide.h"

void WIDE(fields)(bool exact, const struct points *points,
		  const struct fmm_body *bodies, size_t count, double *sums,
		  size_t stride);
void WIDE(potentials)(bool exact, const struct points *points,
		      const struct fmm_body *bodies, size_t count,
		      double *sums);
void WIDE(multiply)(const double *matrix, size_t rows, size_t columns,
		    const double *from, double *to);
void WIDE(fold)(const struct symmetry *symmetry, double *rows);
void WIDE(mirror)(const struct symmetry *symmetry, double *rows);
void WIDE(forward)(const struct fourier *fourier, unsigned plane,
		   const double *rows, double *scratch, double *spectrum);
void WIDE(inverse)(const struct fourier *fourier, unsigned plane,
		   const double *spectrum, double *scratch, double *rows);
void WIDE(take_floats)(const struct frequencies *from, const double *plane,
		       double scale, float *spectrum);
void WIDE(take_doubles)(const struct frequencies *from, const double *plane,
			double scale, double *spectrum);
void WIDE(give_floats)(const struct frequencies *to, const float *spectrum,
		       double scale, double *plane);
void WIDE(give_doubles)(const struct frequencies *to, const double *spectrum,
			double scale, double *plane);
void WIDE(translate_floats)(const float *kernel, const float *const *spectra,
			    const struct neighbour *near, size_t count,
			    const uint8_t *const *rows, size_t first,
			    size_t frequencies, float *sums);
void WIDE(translate_doubles)(const double *kernel, const double *const *spectra,
			     const struct neighbour *near, size_t count,
			     const uint8_t *const *rows, size_t first,
			     size_t frequencies, double *sums);

#endif
