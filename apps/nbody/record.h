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
	bool begun, failed;
};

/*
 * nbody_record_wants: whether a frame is to be written after @done of the
 * steps. nbody_record_add: writes it; after the last step, finishes the file.
 * If that fails, it complains, and sets @failed: from then on no frame is
 * wanted, and the run goes on without a file.
 */
bool nbody_record_wants(const struct nbody_record *record, long done);
void nbody_record_add(struct nbody_record *record, long done,
		      const struct nbody_world *world,
		      const struct nbody_particle *particles);

#endif
