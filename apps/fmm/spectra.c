/*
 * spectra.c: translations between octets, one plane of frequencies after the
 * other, so that spectra of all octets take little memory at a time.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/fmm/down.h"

struct planes {
	const struct fmm_plan *plan;
	double unit;	   /* of charges in spectra: a power of 2 */
	size_t columns;	   /* frequencies in a whole plane */
	double *line;	   /* SPECTRAL for each frequency of a plane */
	double *scratch;
	char *sources, *targets; /* [frequency][octet][SPECTRAL] reals */
	uint32_t *source_octets; /* those without spectra, and how many */
	uint32_t source_count;
	const char **at; /* each octet's spectrum at the present frequency */
	size_t *step;
	char *nothing; /* a spectrum of zeros */
};

static double
charge_unit(const struct fmm_plan *plan, const struct fmm_space *space)
{
	if (!plan->single || !(space->charge > 0) || !isfinite(space->charge))
		return 1;
	return ldexp(1, ilogb(space->charge));
}

static void
put_reals(const struct fmm_plan *plan, const double *from, double scale,
	  void *to)
{
	for (int i = 0; i < SPECTRAL; i++)
		if (plan->single)
			((float *)to)[i] = (float)(from[i] * scale);
		else
			((double *)to)[i] = from[i];
}

static void
get_reals(const struct fmm_plan *plan, const void *from, double scale,
	  double *to)
{
	for (int i = 0; i < SPECTRAL; i++)
		to[i] = plan->single ? ((const float *)from)[i] * scale
				     : ((const double *)from)[i];
}

/* Transforms an octet's charges; frequencies are @step bytes apart at @to. */
static void
transform_octet(const struct planes *p, unsigned plane, const double *charges,
		char *to, size_t step)
{
	const struct fmm_plan *plan = p->plan;
	unsigned n = plan->fourier.length;

	plan->wide->forward(&plan->fourier, plane, charges, p->scratch,
			    p->line);
	for (unsigned b = 0; b < n; b++)
		for (unsigned a = 0; a < plan_columns(plan, plane, b); a++) {
			put_reals(plan, p->line + (b * n + a) * SPECTRAL,
				  1 / p->unit, to);
			to += step;
		}
}

static void
restore_octet(const struct planes *p, unsigned plane, const char *from,
	      size_t step, double *rows)
{
	const struct fmm_plan *plan = p->plan;
	unsigned n = plan->fourier.length;

	for (unsigned b = 0; b < n; b++) {
		unsigned columns = plan_columns(plan, plane, b);
		double *line = p->line + (size_t)b * n * SPECTRAL;

		memset(line, 0, n * SPECTRAL * sizeof *line);
		for (unsigned a = 0; a < columns; a++) {
			get_reals(plan, from, p->unit, line + a * SPECTRAL);
			from += step;
		}
	}
	plan->wide->inverse(&plan->fourier, plane, p->line, p->scratch, rows);
}

static size_t
plane_size(const struct fmm_plan *plan, unsigned plane)
{
	return plan_first(plan, plane + 1) - plan_first(plan, plane);
}

/* Memory for one thread's transforms. */
static int
planes_init(struct planes *p, const struct fmm_plan *plan,
	    const struct fmm_space *space)
{
	size_t n = plan->fourier.length, order = plan->fourier.order;
	size_t row = SPECTRAL * sizeof(double);

	*p = (struct planes){ .plan = plan, .columns = n * n };
	p->unit = charge_unit(plan, space);
	p->line = plan_allocate(n * n * row);
	p->scratch = plan_allocate((n + order) * order * row);
	return p->line && p->scratch ? 0 : -1;
}

static void
planes_finish(struct planes *p)
{
	free(p->line);
	free(p->scratch);
	free(p->sources);
	free(p->targets);
	free(p->source_octets);
	free(p->at);
	free(p->step);
	free(p->nothing);
}

size_t
fmm_spectra_bytes(const struct fmm_plan *plan,
		  const struct fmm_summary *summary)
{
	return plan->frequencies * summary->octet_count * SPECTRAL * plan->real;
}

int
fmm_spectra(const struct fmm_plan *plan, const struct fmm_space *space,
	    const struct fmm_summary *summary, void *spectra)
{
	size_t rows = (size_t)plan->surface.count * LANES;
	size_t real = SPECTRAL * plan->real, step = summary->octet_count * real;
	struct planes p;
	int status = planes_init(&p, plan, space);

	for (unsigned plane = 0; plane < plan->fourier.order && status == 0;
	     plane++)
		for (size_t i = 0; i < summary->octet_count; i++)
			transform_octet(&p, plane,
					summary_charges(summary) + i * rows,
					(char *)spectra +
						plan_first(plan, plane) * step +
						i * real,
					step);
	planes_finish(&p);
	return status;
}

/* Lists the octets that have to be transformed here. */
static int
list_sources(struct planes *p, const struct local *local)
{
	const struct view *view = local->view;
	uint32_t targets = view_targets(view);
	bool *used = calloc(view->count + 1, sizeof *used);

	p->source_octets = malloc((view->count + 1) * sizeof(uint32_t));
	if (!used || !p->source_octets) {
		free(used);
		return -1;
	}
	for (uint32_t i = 0; i < targets; i++)
		for (unsigned n = 0; n < NEIGHBOURS; n++)
			used[local->near[i][n]] = true;
	for (uint32_t i = 0; i < view->count; i++)
		if (used[i] && !view->octets[i].spectrum)
			p->source_octets[p->source_count++] = i;
	free(used);
	return 0;
}

static int
allocate_spectra(struct planes *p, const struct local *local)
{
	size_t real = SPECTRAL * p->plan->real;
	uint32_t count = local->view->count;

	if (list_sources(p, local) < 0)
		return -1;
	p->sources = plan_allocate(p->columns * p->source_count * real);
	p->targets = plan_allocate(p->columns * view_targets(local->view) *
				   real);
	p->at = malloc((count + 1) * sizeof *p->at);
	p->step = calloc(count + 1, sizeof *p->step);
	p->nothing = plan_allocate(real);
	if (!p->sources || !p->targets || !p->at || !p->step || !p->nothing)
		return -1;
	memset(p->nothing, 0, real);
	p->at[count] = p->nothing;
	return 0;
}

/* Where each octet's spectrum is at the first frequency of a plane. */
static void
start_plane(struct planes *p, const struct local *local, unsigned plane)
{
	const struct view *view = local->view;
	size_t real = SPECTRAL * p->plan->real;
	size_t first = plan_first(p->plan, plane);

	for (uint32_t i = 0; i < view->count; i++) {
		p->step[i] = view->octets[i].step;
		p->at[i] = view->octets[i].spectrum
				   ? view->octets[i].spectrum +
					     first * p->step[i]
				   : p->nothing;
		if (!view->octets[i].spectrum)
			p->step[i] = 0;
	}
	for (uint32_t i = 0; i < p->source_count; i++) {
		uint32_t octet = p->source_octets[i];

		p->at[octet] = p->sources + i * real;
		p->step[octet] = p->source_count * real;
		transform_octet(p, plane, view->octets[octet].charges,
				p->sources + i * real, p->step[octet]);
	}
}

static void
translate_frequency(const struct planes *p, const struct local *local,
		    size_t frequency, char *sums)
{
	const struct fmm_plan *plan = p->plan;
	const struct view *view = local->view;
	size_t start = frequency * NEIGHBOURS * LANES * SPECTRAL;
	const uint32_t(*near)[NEIGHBOURS] =
		(const uint32_t(*)[NEIGHBOURS])local->near;

	if (plan->single)
		plan->wide->translate_floats((const float *)plan->kernel +
						     start,
					     (const float *const *)p->at, near,
					     view_targets(view), view->count,
					     (float *)sums);
	else
		plan->wide->translate_doubles(
			(const double *)plan->kernel + start,
			(const double *const *)p->at, near, view_targets(view),
			view->count, (double *)sums);
}

static void
translate_plane(struct planes *p, struct local *local, unsigned plane)
{
	const struct view *view = local->view;
	size_t real = SPECTRAL * p->plan->real;
	size_t step = view_targets(view) * real;
	size_t size = plane_size(p->plan, plane);
	size_t rows = (size_t)p->plan->surface.count * LANES;

	start_plane(p, local, plane);
	for (size_t f = 0; f < size; f++) {
		translate_frequency(p, local, plan_first(p->plan, plane) + f,
				    p->targets + f * step);
		for (uint32_t i = 0; i < view->count; i++)
			p->at[i] += p->step[i];
	}
	for (uint32_t i = 0; i < view_targets(view); i++)
		restore_octet(p, plane, p->targets + i * real, step,
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
