/*
 * fourier.c: Fourier transforms of octets. A surface is part of a grid of
 * order^3 points. The transform's length along each axis is 2 * order - 1, the
 * least that keeps translations from wrapping around. This length is small, so
 * sums over cosines and sines are as good as a fast transform. The eight
 * children of an octet are the lanes.
 *
 * A plane of frequencies has one frequency c along z. Its complex numbers are
 * rows of SPECTRAL doubles: the real parts, then the imaginary parts.
 */
#include <string.h>

#include "apps/fmm/vector.h"
#include "apps/fmm/wide.h"
#include "apps/fmm/wide_names.h"

#define IMAGINARY LANES

static void
clear(double *rows, size_t count)
{
	memset(rows, 0, count * SPECTRAL * sizeof *rows);
}

/*
 * Sums over @order complex rows, @step apart, times exp(-2 pi i k j / length).
 * Frequencies k and -k have the same cosines, and sines of opposite sign.
 */
INLINE void
line_forward(const struct fourier *f, const double *from, size_t step,
	     double *to, size_t to_step, unsigned k)
{
	vdouble real_cos = all(0), imag_cos = all(0);
	vdouble real_sin = all(0), imag_sin = all(0);

	for (unsigned j = 0, turn = 0; j < f->order; j++) {
		vdouble real = load(from + j * step);
		vdouble imag = load(from + j * step + IMAGINARY);

		real_cos = fuse(real, all(f->cosine[turn]), real_cos);
		imag_cos = fuse(imag, all(f->cosine[turn]), imag_cos);
		real_sin = fuse(real, all(f->sine[turn]), real_sin);
		imag_sin = fuse(imag, all(f->sine[turn]), imag_sin);
		turn += k;
		turn -= turn < f->length ? 0 : f->length;
	}
	store(to + k * to_step, real_cos + imag_sin);
	store(to + k * to_step + IMAGINARY, imag_cos - real_sin);
	if (k == 0)
		return;
	store(to + (f->length - k) * to_step, real_cos - imag_sin);
	store(to + (f->length - k) * to_step + IMAGINARY, imag_cos + real_sin);
}

INLINE void
lanes_forward(const struct fourier *f, unsigned plane, const double *rows,
	      double *scratch, double *spectrum)
{
	const size_t p = f->order, n = f->length;
	double *along_y = scratch, *start = spectrum;

	/* First along z. The spectrum's space is free until the last step. */
	for (size_t i = 0; i < p * p; i++) {
		store(start + i * SPECTRAL, all(0));
		store(start + i * SPECTRAL + IMAGINARY, all(0));
	}
	for (size_t i = 0; i < f->points; i++) {
		double *to = start + (f->at[i][0] * p + f->at[i][1]) * SPECTRAL;
		size_t turn = f->at[i][2] * plane % n;
		vdouble v = load_any(rows + i * LANES);

		store(to, fuse(v, all(f->cosine[turn]), load(to)));
		store(to + IMAGINARY,
		      fuse(v, all(-f->sine[turn]), load(to + IMAGINARY)));
	}
	for (size_t i = 0; i < p; i++)
		for (unsigned b = 0; b < p; b++)
			line_forward(f, start + i * p * SPECTRAL, SPECTRAL,
				     along_y + i * SPECTRAL, p * SPECTRAL, b);
	for (size_t b = 0; b < (plane ? n : p); b++)
		for (unsigned a = 0; a < p; a++)
			line_forward(f, along_y + b * p * SPECTRAL, SPECTRAL,
				     spectrum + b * n * SPECTRAL, SPECTRAL, a);
}

void
WIDE(forward)(const struct fourier *fourier, unsigned plane, const double *rows,
	      double *scratch, double *spectrum)
{
	for (size_t lane = 0; lane < LANES; lane += DOUBLES)
		lanes_forward(fourier, plane, rows + lane, scratch + lane,
			      spectrum + lane);
}

/*
 * Sets the complex row number @j of @to to the sum over all frequencies, @step
 * apart, times exp(2 pi i k j / length).
 */
INLINE void
line_inverse(const struct fourier *f, const double *from, size_t step,
	     double *to, unsigned j)
{
	vdouble real = load(from), imag = load(from + IMAGINARY);

	for (unsigned k = 1, turn = j; k < f->order; k++) {
		const double *high = from + k * step;
		const double *low = from + (f->length - k) * step;
		vdouble cosine = all(f->cosine[turn]);
		vdouble sine = all(f->sine[turn]);
		vdouble hr = load(high), hi = load(high + IMAGINARY);
		vdouble lr = load(low), li = load(low + IMAGINARY);

		real = fuse(hr + lr, cosine, real);
		real = fuse(li - hi, sine, real);
		imag = fuse(hi + li, cosine, imag);
		imag = fuse(hr - lr, sine, imag);
		turn += j;
		turn -= turn < f->length ? 0 : f->length;
	}
	store(to, real);
	store(to + IMAGINARY, imag);
}

INLINE void
lanes_inverse(const struct fourier *f, unsigned plane, const double *spectrum,
	      double *along_x, double *grid, double *rows)
{
	const size_t p = f->order, n = f->length;

	for (size_t b = 0; b < (plane ? n : p); b++)
		for (unsigned i = 0; i < p; i++)
			line_inverse(f, spectrum + b * n * SPECTRAL, SPECTRAL,
				     along_x + (b * p + i) * SPECTRAL, i);
	for (size_t i = 0; i < p; i++)
		for (unsigned j = 0; j < p; j++)
			line_inverse(f, along_x + i * SPECTRAL, p * SPECTRAL,
				     grid + (i * p + j) * SPECTRAL, j);
	for (size_t i = 0; i < f->points; i++) {
		const double *from =
			grid + (f->at[i][0] * p + f->at[i][1]) * SPECTRAL;
		size_t turn = f->at[i][2] * plane % n;
		vdouble v = load(rows + i * LANES);

		v = fuse(load(from), all(f->cosine[turn]), v);
		v = fuse(load(from + IMAGINARY), all(-f->sine[turn]), v);
		store(rows + i * LANES, v);
	}
}

void
WIDE(inverse)(const struct fourier *fourier, unsigned plane,
	      const double *spectrum, double *scratch, double *rows)
{
	const size_t lines = fourier->length * fourier->order;
	double *grid = scratch + lines * SPECTRAL;

	/* In plane 0, the conjugates of other frequencies are left out. */
	clear(scratch, lines);
	for (size_t lane = 0; lane < LANES; lane += DOUBLES)
		lanes_inverse(fourier, plane, spectrum + lane, scratch + lane,
			      grid + lane, rows + lane);
}
