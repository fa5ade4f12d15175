/* cells.h: the cells of a part, and what a summary consists of. */
#ifndef FMM_CELLS_H
#define FMM_CELLS_H

#include "apps/fmm/plan.h"

#define NO_OCTET (-1)

/* A cell of a part: which particles it has, and which children. */
struct cell {
	uint32_t first, count; /* of the part's particles */
	int32_t octet;	       /* NO_OCTET for cells that aren't divided */
};

/* The children of a cell. Child c is on the high side of x for c & 1 ... */
struct octet {
	struct fmm_place parent;
	int32_t above; /* LANES * the parent's octet + child; -1 for the root */
	struct cell child[LANES];
};

/*
 * Behind this: struct fmm_root, then the octets, each before those of its
 * children, then each octet's charges, as rows of LANES.
 */
struct fmm_summary {
	uint64_t bytes;
	uint64_t octets_at, charges_at; /* from the beginning of this */
	uint32_t octet_count, unused;
};

/* cells_build: the octets of a part; 0, or -1. The caller frees *octets_p. */
int cells_build(const struct fmm_plan *plan, const struct fmm_space *space,
		struct fmm_place place, const struct fmm_body *bodies,
		size_t count, struct octet **octets_p, uint32_t *count_p);

static inline const struct octet *
summary_octets(const struct fmm_summary *summary)
{
	return (const struct octet *)((const char *)summary +
				      summary->octets_at);
}

static inline const double *
summary_charges(const struct fmm_summary *summary)
{
	return (const double *)((const char *)summary + summary->charges_at);
}

/* A cell's child number @c. */
static inline struct fmm_place
place_child(struct fmm_place place, unsigned c)
{
	return (struct fmm_place){ place.level + 1, 2 * place.x + (c & 1),
				   2 * place.y + (c >> 1 & 1),
				   2 * place.z + (c >> 2) };
}

/* Half of a cell's edge. */
static inline double
place_half(const struct fmm_space *space, struct fmm_place place)
{
	return space->size / (double)(UINT64_C(2) << place.level);
}

static inline void
place_centre(const struct fmm_space *space, struct fmm_place place,
	     double *centre)
{
	double half = place_half(space, place);

	centre[0] = space->x + half * (2.0 * place.x + 1);
	centre[1] = space->y + half * (2.0 * place.y + 1);
	centre[2] = space->z + half * (2.0 * place.z + 1);
}

#endif
