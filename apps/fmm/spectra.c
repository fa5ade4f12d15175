/*
 * spectra.c: translations between octets, one plane of frequencies after the
 * other, so that spectra of all octets take little memory at a time.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/fmm/down.h"

struct planes {
	const struct fmm_plan *plan;
	double unit;  /* of charges in spectra: a power of 2 */
	double *line; /* SPECTRAL for each frequency of a plane */
	size_t line_bytes;
	double *scratch;

	/* Each target's neighbours: those from start[i] to start[i + 1]. */
	struct neighbour *neighbours;
	size_t *start;
	/* Octets whose spectra are computed here, and these, in one plane. */
	uint32_t *source_octets;
	uint32_t source_count;
	char *sources;
	const void **at; /* all octets' spectra in one plane */
	char *sums;	 /* the targets' */
};

/* About the space's charge, but neither this nor its inverse overflows. */
static double
charge_unit(const struct fmm_plan *plan, const struct fmm_space *space)
{
	int most = DBL_MAX_EXP - 2, power;

	if (!plan->single || !(space->charge > 0) || !isfinite(space->charge))
		return 1;
	power = ilogb(space->charge);
	return ldexp(1, power > most ? most : power < -most ? -most : power);
}

static struct frequencies
frequencies_of(const struct fmm_plan *plan, unsigned plane)
{
	return (struct frequencies){
		.list = plan->frequencies + plan->first[plane],
		.count = plan->first[plane + 1] - plan->first[plane],
		.length = plan->fourier.length,
		.turned = plan->turned,
	};
}

/* Sets the spectrum of an octet's charges in one plane. */
static void
transform_octet(const struct planes *p, unsigned plane, const double *charges,
		void *to)
{
	const struct wide *wide = p->plan->wide;
	struct frequencies frequencies = frequencies_of(p->plan, plane);

	wide->forward(&p->plan->fourier, plane, charges, p->scratch, p->line);
	if (p->plan->single)
		wide->take_floats(&frequencies, p->line, 1 / p->unit, to);
	else
		wide->take_doubles(&frequencies, p->line, 1 / p->unit, to);
}

/* Adds to @rows what a plane of a spectrum contributes. */
static void
restore_octet(const struct planes *p, unsigned plane, const void *from,
	      double *rows)
{
	const struct wide *wide = p->plan->wide;
	struct frequencies frequencies = frequencies_of(p->plan, plane);

	if (plane == 0)
		memset(p->line, 0, p->line_bytes);
	if (p->plan->single)
		wide->give_floats(&frequencies, from, p->unit, p->line);
	else
		wide->give_doubles(&frequencies, from, p->unit, p->line);
	wide->inverse(&p->plan->fourier, plane, p->line, p->scratch, rows);
}

/* Memory for one thread's transforms. */
static int
planes_init(struct planes *p, const struct fmm_plan *plan,
	    const struct fmm_space *space)
{
	size_t n = plan->fourier.length, order = plan->fourier.order;
	size_t row = SPECTRAL * sizeof(double);

	*p = (struct planes){ .plan = plan };
	p->unit = charge_unit(plan, space);
	p->line_bytes = n * n * row;
	p->line = plan_allocate(p->line_bytes);
	p->scratch = plan_allocate((n + order) * order * row);
	return p->line && p->scratch ? 0 : -1;
}

static void
planes_finish(struct planes *p)
{
	free(p->line);
	free(p->scratch);
	free(p->neighbours);
	free(p->start);
	free(p->source_octets);
	free(p->sources);
	free(p->at);
	free(p->sums);
}

size_t
fmm_spectra_bytes(const struct fmm_plan *plan,
		  const struct fmm_summary *summary)
{
	return plan_spectrum_bytes(plan) * summary->octet_count;
}

int
fmm_spectra(const struct fmm_plan *plan, const struct fmm_space *space,
	    const struct fmm_summary *summary, void *spectra)
{
	size_t rows = (size_t)plan->surface.count * LANES;
	size_t real = SPECTRAL * plan->real, bytes = plan_spectrum_bytes(plan);
	struct planes p;
	int status = planes_init(&p, plan, space);

	for (size_t i = 0; i < summary->octet_count && status == 0; i++)
		for (unsigned c = 0; c < plan->fourier.order; c++)
			transform_octet(&p, c,
					summary_charges(summary) + i * rows,
					(char *)spectra + i * bytes +
						plan->first[c] * real);
	planes_finish(&p);
	return status;
}

/* Makes the targets' lists of neighbours of what the walk has noted. */
static int
list_neighbours(struct planes *p, const struct local *local)
{
	uint32_t targets = view_targets(local->view);
	uint32_t none = local->view->count;
	size_t count = 0;

	p->start = malloc((targets + 1) * sizeof *p->start);
	p->neighbours = malloc(((size_t)targets * NEIGHBOURS + 1) *
			       sizeof *p->neighbours);
	if (!p->start || !p->neighbours)
		return -1;
	for (uint32_t i = 0; i < targets; i++) {
		p->start[i] = count;
		for (unsigned n = 0; n < NEIGHBOURS; n++)
			if (local->near[i][n] != none)
				p->neighbours[count++] =
					(struct neighbour){ local->near[i][n],
							    n };
	}
	p->start[targets] = count;
	return 0;
}

/* Lists the octets that have to be transformed here. */
static int
list_sources(struct planes *p, const struct view *view)
{
	size_t pairs = p->start[view_targets(view)];
	bool *used = calloc(view->count + 1, sizeof *used);

	p->source_octets = malloc((view->count + 1) * sizeof(uint32_t));
	if (!used || !p->source_octets) {
		free(used);
		return -1;
	}
	for (size_t i = 0; i < pairs; i++)
		used[p->neighbours[i].octet] = true;
	for (uint32_t i = 0; i < view->count; i++)
		if (used[i] && !view->octets[i].spectrum)
			p->source_octets[p->source_count++] = i;
	free(used);
	return 0;
}

/* The bytes of the largest plane of a spectrum. */
static size_t
plane_bytes(const struct fmm_plan *plan)
{
	size_t n = plan->fourier.length;

	return n * n * SPECTRAL * plan->real;
}

static int
allocate_spectra(struct planes *p, const struct local *local)
{
	const struct view *view = local->view;

	if (list_neighbours(p, local) < 0 || list_sources(p, view) < 0)
		return -1;
	p->sources = plan_allocate(plane_bytes(p->plan) * p->source_count);
	p->sums = plan_allocate(plane_bytes(p->plan) * view_targets(view));
	p->at = calloc(view->count + 1, sizeof *p->at);
	return p->sources && p->sums && p->at ? 0 : -1;
}

/* Sets where each octet's spectrum is, and computes those that aren't there. */
static void
start_plane(struct planes *p, const struct view *view, unsigned plane)
{
	size_t first = p->plan->first[plane] * SPECTRAL * p->plan->real;

	for (uint32_t i = 0; i < view->count; i++)
		if (view->octets[i].spectrum)
			p->at[i] = view->octets[i].spectrum + first;
	for (uint32_t i = 0; i < p->source_count; i++) {
		char *to = p->sources + i * plane_bytes(p->plan);
		uint32_t octet = p->source_octets[i];

		p->at[octet] = to;
		transform_octet(p, plane, view->octets[octet].charges, to);
	}
}

/* Frequencies of a plane that share a kernel. */
struct sharing {
	size_t first; /* number in the plane */
	size_t count;
	const void *kernel;
	const uint8_t *rows[SHARING_MOST];
};

/* Those from number @first of all frequencies on. */
static struct sharing
sharing_from(const struct fmm_plan *plan, unsigned plane, size_t first)
{
	const struct frequency *f = &plan->frequencies[first];
	struct sharing s = { .first = first - plan->first[plane] };

	s.kernel = (const char *)plan->kernel +
		   f->kernel * plan_kernel_bytes(plan);
	while (first + s.count < plan->first[plane + 1] &&
	       f[s.count].kernel == f->kernel) {
		s.rows[s.count] = plan->turned[f[s.count].turned].row;
		s.count++;
	}
	return s;
}

/* Translates to the target number @i. */
static void
translate_target(const struct planes *p, const struct sharing *s, uint32_t i)
{
	const struct fmm_plan *plan = p->plan;
	const struct neighbour *near = p->neighbours + p->start[i];
	size_t count = p->start[i + 1] - p->start[i];
	void *to = p->sums + i * plane_bytes(plan) +
		   s->first * SPECTRAL * plan->real;

	if (plan->single)
		plan->wide->translate_floats(
			s->kernel, (const float *const *)p->at, near, count,
			s->rows, s->first, s->count, to);
	else
		plan->wide->translate_doubles(
			s->kernel, (const double *const *)p->at, near, count,
			s->rows, s->first, s->count, to);
}

static void
translate_plane(struct planes *p, struct local *local, unsigned plane)
{
	const struct fmm_plan *plan = p->plan;
	const struct view *view = local->view;
	size_t rows = (size_t)plan->surface.count * LANES;
	size_t f = plan->first[plane];

	start_plane(p, view, plane);
	while (f < plan->first[plane + 1]) {
		struct sharing sharing = sharing_from(plan, plane, f);

		for (uint32_t i = 0; i < view_targets(view); i++)
			translate_target(p, &sharing, i);
		f += sharing.count;
	}
	for (uint32_t i = 0; i < view_targets(view); i++)
		restore_octet(p, plane, p->sums + i * plane_bytes(plan),
			      local->rows + i * rows);
}

int
down_translate(struct local *local)
{
	const struct view *view = local->view;
	struct planes p;
	int status = planes_init(&p, view->plan, view->space);

	if (status == 0)
		status = allocate_spectra(&p, local);
	for (unsigned plane = 0;
	     plane < view->plan->fourier.order && status == 0; plane++)
		translate_plane(&p, local, plane);
	planes_finish(&p);
	return status;
}
