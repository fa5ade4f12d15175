/*
 * frequency.c: which frequencies are computed, in which order, and which
 * spectrum of the kernel each one uses: that of the frequency with the same
 * numbers, without signs, sorted.
 */
#include <math.h>
#include <stdlib.h>

#include "apps/fmm/plan.h"

/*
 * The cosine and sine of @k of @n turns. The C library's functions may have
 * other last bits on other machines.
 */
static void
turn(unsigned k, unsigned n, double *cosine, double *sine)
{
	unsigned quarter = (8 * k + n) / (2 * n);
	double x = (4.0 * k - 1.0 * quarter * n) / n * (M_PI / 2);
	double terms[2] = { 0, 0 }, term = 1;
	double c, s;

	for (int i = 0; i < 24; i++) {
		terms[i % 2] += i % 4 < 2 ? term : -term;
		term *= x / (i + 1);
	}
	c = terms[0];
	s = terms[1];
	*cosine = quarter % 2 ? (quarter % 4 == 1 ? -s : s)
			      : (quarter % 4 == 0 ? c : -c);
	*sine = quarter % 2 ? (quarter % 4 == 1 ? c : -c)
			    : (quarter % 4 == 0 ? s : -s);
}

static int
make_fourier(struct fmm_plan *plan)
{
	unsigned order = plan->surface.order, n = 2 * order - 1;

	plan->cosine = malloc(n * sizeof(double));
	plan->sine = malloc(n * sizeof(double));
	if (!plan->cosine || !plan->sine)
		return -1;
	for (unsigned k = 0; k < n; k++)
		turn(k, n, &plan->cosine[k], &plan->sine[k]);
	plan->fourier = (struct fourier){
		.order = order,
		.length = n,
		.points = plan->surface.count,
		.at = (const uint8_t(*)[3])plan->surface.at,
		.cosine = plan->cosine,
		.sine = plan->sine,
	};
	return 0;
}

/* How a frequency is made of a sorted one without signs. */
struct turn {
	int axis[3]; /* where each number goes */
	int sign[3]; /* of each axis: 1 if negative */
};

/* The number of a turn, and back. */
static unsigned
turn_number(const struct turn *t)
{
	return (unsigned)(t->axis[0] * 2 + (t->axis[1] > t->axis[2])) * 8 +
	       (unsigned)(t->sign[0] + 2 * t->sign[1] + 4 * t->sign[2]);
}

static struct turn
turn_numbered(unsigned number)
{
	int first = (int)number / 16, swapped = number / 8 % 2;
	int low = first == 0 ? 1 : 0, high = first == 2 ? 1 : 2;

	return (struct turn){
		{ first, swapped ? high : low, swapped ? low : high },
		{ number & 1, number >> 1 & 1, number >> 2 & 1 },
	};
}

/* Child @c of an octet that is turned. */
static unsigned
turn_child(const struct turn *t, unsigned c)
{
	unsigned turned = 0;

	for (int i = 0; i < 3; i++)
		turned |= ((c >> i & 1) ^ (unsigned)t->sign[t->axis[i]])
			  << t->axis[i];
	return turned;
}

/* The same for the neighbour @n of 27; number 13 is the octet itself. */
static unsigned
turn_neighbour(const struct turn *t, unsigned n)
{
	const unsigned power[] = { 1, 3, 9 };
	unsigned turned = 0;

	for (int i = 0; i < 3; i++) {
		unsigned at = n / power[i] % 3;

		turned +=
			(t->sign[t->axis[i]] ? 2 - at : at) * power[t->axis[i]];
	}
	return turned;
}

static void
fill_turned(struct turned *turned, const struct turn *t)
{
	for (unsigned c = 0; c < LANES; c++) {
		turned->child[c] = (uint8_t)turn_child(t, c);
		turned->lane[turned->child[c]] = (uint8_t)c;
	}
	for (unsigned n = 0; n < 27; n++) {
		unsigned at = turn_neighbour(t, n);

		if (n != 13)
			turned->row[at - (at > 13)] = (uint8_t)(n - (n > 13));
	}
}

/* Sorts @size[axis[0]] and so on by exchanging axes. */
static void
sort_axes(const unsigned *size, int *axis)
{
	for (int i = 0; i < 3; i++) {
		int k = i % 2, first = axis[k];

		if (size[axis[k]] <= size[axis[k + 1]])
			continue;
		axis[k] = axis[k + 1];
		axis[k + 1] = first;
	}
}

/* The number of a sorted frequency among all. */
static unsigned
kernel_number(unsigned low, unsigned middle, unsigned high)
{
	return high * (high + 1) * (high + 2) / 6 + middle * (middle + 1) / 2 +
	       low;
}

static struct frequency
frequency_at(const struct fourier *f, unsigned a, unsigned b, unsigned c)
{
	struct turn t = { { 0, 1, 2 }, { a >= f->order, b >= f->order, 0 } };
	unsigned size[3] = { t.sign[0] ? f->length - a : a,
			     t.sign[1] ? f->length - b : b, c };

	sort_axes(size, t.axis);
	return (struct frequency){
		(uint8_t)a,
		(uint8_t)b,
		(uint8_t)turn_number(&t),
		(uint16_t)kernel_number(size[t.axis[0]], size[t.axis[1]],
					size[t.axis[2]]),
	};
}

/* In plane 0, half of the frequencies are conjugates of others. */
static bool
is_conjugate(const struct fourier *f, unsigned a, unsigned b, unsigned c)
{
	return c == 0 && (b >= f->order || (b == 0 && a >= f->order));
}

static int
by_kernel(const void *a, const void *b)
{
	const struct frequency *x = a, *y = b;

	if (x->kernel != y->kernel)
		return x->kernel < y->kernel ? -1 : 1;
	return x->b != y->b ? x->b - y->b : x->a - y->a;
}

/* Neighbours in this order use the same spectrum of the kernel. */
static void
list_plane(struct fmm_plan *plan, unsigned c)
{
	const struct fourier *f = &plan->fourier;
	struct frequency *list = plan->frequencies + plan->first[c];
	size_t count = 0;

	for (unsigned b = 0; b < f->length; b++)
		for (unsigned a = 0; a < f->length; a++)
			if (!is_conjugate(f, a, b, c))
				list[count++] = frequency_at(f, a, b, c);
	qsort(list, count, sizeof *list, by_kernel);
	plan->first[c + 1] = plan->first[c] + count;
}

int
plan_frequencies(struct fmm_plan *plan)
{
	unsigned order = plan->surface.order, n = 2 * order - 1;

	if (make_fourier(plan) < 0)
		return -1;
	plan->frequencies = malloc(n * n * order * sizeof *plan->frequencies);
	plan->turned = malloc(TURNS * sizeof *plan->turned);
	if (!plan->frequencies || !plan->turned)
		return -1;
	for (unsigned c = 0; c < order; c++)
		list_plane(plan, c);
	for (unsigned i = 0; i < TURNS; i++) {
		struct turn t = turn_numbered(i);

		fill_turned(&plan->turned[i], &t);
	}
	return 0;
}
