/*
 * elementary.h: functions whose versions in the C library have other last bits
 * on other processors. All nodes must make the same particles.
 */
#ifndef NBODY_ELEMENTARY_H
#define NBODY_ELEMENTARY_H

/* The errors are a few times the last bit. */

/* nbody_log: the natural logarithm of @x, which is positive and finite. */
double nbody_log(double x);

/* nbody_turn: the cosine and sine of @turns x 2 pi; @turns from 0 to 1. */
void nbody_turn(double turns, double *cosine, double *sine);

/* nbody_root: 1 / the cube root of @x, which is positive and finite. */
double nbody_root(double x);

#endif
