/*
 * floors.h: the lower bounds of the kernel. They follow from the definition of
 * a Golomb ruler, so each process computes them for itself.
 */
#ifndef GOLOMB_FLOORS_H
#define GOLOMB_FLOORS_H

#include "apps/golomb/kernel.h"

/*
 * golomb_optimum: the length of the shortest ruler with that number of marks,
 * from 1 to GOLOMB_MARKS_MOST.
 */
int golomb_optimum(int marks);

/*
 * golomb_floors: the floors, which the first call computes. Any thread; other
 * threads wait meanwhile. They are constant, and stay.
 */
const struct golomb_floors *golomb_floors(void);

#endif
