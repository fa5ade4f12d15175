/*
 * particle.h: a particle of nbody.
 *
 * A particle's source is what the sums are about: its mass, or its charge if
 * the program runs with --charges. The potential at a particle is the sum over
 * all other particles of source / distance, and the gradient is that sum's. The
 * gravitational constant, and Coulomb's, are 1.
 */
#ifndef NBODY_PARTICLE_H
#define NBODY_PARTICLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NBODY_MOST 100000000 /* particles */

struct nbody_particle {
	double at[3], velocity[3];
	double mass, source;
	double potential, gradient[3];
	uint64_t number; /* from 0 on; in files, particles are in this order */
};

/*
 * What all particles have in common. As an argument of kernels it has no padding:
 * if main runs again, it must call them with the same bytes.
 */
struct nbody_world {
	uint64_t count;
	bool charges;	   /* sources are charges, and equal ones repel */
	unsigned char unused[7];
	double softening;  /* each distance r counts as sqrt(r^2 + softening^2)
			    */
	double time, step; /* now, and of one step */
};

#endif
