/*
 * weights.h: what a sweep of each cell of particles costs, in ns, by counting
 * what the fast multipole method would do.
 *
 * The kinds: uniform in the cube; gaussian around its middle, with a deviation
 * of SIGMA of the edge in each direction; corner: the same around the middle of
 * one octant; plummer: a Plummer sphere with the scale length PLUMMER of the
 * edge. Particles outside of the cube are drawn again.
 */
#ifndef BENCH_FMM_COST_WEIGHTS_H
#define BENCH_FMM_COST_WEIGHTS_H

#include <stdint.h>

/*
 * weights_kind: the number of the kind with that name, or -1.
 * weights_of: the costs of 8^@depth cells with @particles particles, by Morton
 * number. Computed once for all threads, so with one set of arguments only.
 * Ends the process without memory.
 */
long weights_kind(const char *name);
const uint64_t *weights_of(long kind, long depth, long particles);

#endif
