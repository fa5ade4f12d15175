/*
 * walk.h: which cells interact in which way. Near particles interact at once;
 * pairs of octets are only noted.
 */
#ifndef FMM_WALK_H
#define FMM_WALK_H

#include "apps/fmm/view.h"

/* What the walk and the way down share. A target is an octet with my cells. */
struct local {
	const struct view *view;
	/* For each target: octets whose spectra go into its; view->count: none.
	 */
	uint32_t (*near)[NEIGHBOURS];
	/* For each target: potentials on its cells' inner surfaces. */
	double *rows;
	struct fmm_field *fields;
	struct fmm_work work;
	bool count_only;

	/* Particles of one cell that effects are computed on, as lanes. */
	struct points points;
	double *lanes; /* x, y, z, four sums */
	size_t stride;
	struct fmm_body *surface; /* charges on a surface */
	double *column;
};

int local_init(struct local *local, const struct view *view,
	       struct fmm_field *fields, bool count_only);
void local_finish(struct local *local);

/* local_begin: effects are on these particles, until local_end. */
void local_begin(struct local *local, const struct fmm_body *bodies,
		 size_t count);
void local_add(struct local *local, const struct fmm_body *bodies,
	       size_t count);
/* Adds the sums, times these numbers, to the fields of the particles. */
void local_end(struct local *local, struct fmm_field *fields, double potential,
	       double gradient);

/* walk: everything but translations between octets. */
void walk(struct local *local);

#endif
