/*
 * record.h: the file of frames that a run writes, if it is to write one.
 */
#ifndef NBODY_RECORD_H
#define NBODY_RECORD_H

#include "apps/nbody/file.h"
#include "apps/nbody/options.h"

struct nbody_record {
	const struct nbody_options *options;
	struct nbody_file file;
	bool begun;
};

/*
 * nbody_record_wants: whether a frame is to be written after @done of the
 * steps. nbody_record_add: writes it; after the last step, finishes the file.
 * Returns false with the reason in @why.
 */
bool nbody_record_wants(const struct nbody_record *record, long done);
bool nbody_record_add(struct nbody_record *record, long done,
		      const struct nbody_world *world,
		      const struct nbody_particle *particles,
		      struct app_why *why);

#endif
