/* inverse.h: pseudo-inverses, by the singular value decomposition. */
#ifndef FMM_INVERSE_H
#define FMM_INVERSE_H

#include "apps/fmm/plan.h"

/*
 * inverse_init: sets the factors of the pseudo-inverse of the matrix
 * (@n x @n, row by row; spoiled), and of that of its transpose. Singular
 * values below @least times the largest count as 0. Returns 0, or -1.
 */
int inverse_init(double *matrix, unsigned n, double least,
		 struct factors *inverse, struct factors *transposed);
void inverse_finish(struct factors *factors);

#endif
