/*
 * options.h: the command line of nbody.
 */
#ifndef NBODY_OPTIONS_H
#define NBODY_OPTIONS_H

#include "apps/nbody/distribution.h"

struct nbody_options {
	long particles, seed, steps, part, check, every;
	enum nbody_distribution distribution;
	double error, step, softening;
	const char *distribution_text, *error_text, *step_text, *softening_text;
	const char *read, *write, *png; /* files, or NULL */
	bool charges, direct, sequential;
};

/*
 * nbody_options_read: reads the command line. Returns APP_GO_ON, or the exit
 * status after a complaint or the help.
 */
int nbody_options_read(int argc, char **argv, struct nbody_options *options);

#endif
