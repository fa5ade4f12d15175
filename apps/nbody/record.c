#include "apps/nbody/record.h"

bool
nbody_record_wants(const struct nbody_record *record, long done)
{
	const struct nbody_options *options = record->options;

	return options->write && !record->failed &&
	       (done == options->steps ||
		(options->every && done % options->every == 0));
}

static bool
add(struct nbody_record *record, long done, const struct nbody_world *world,
    const struct nbody_particle *particles, struct app_why *why)
{
	const struct nbody_options *options = record->options;

	if (!record->begun && !nbody_file_create(&record->file, options->write,
						 world, particles, why))
		return false;
	record->begun = true;
	if (!nbody_file_add(&record->file, world, particles, why))
		return false;
	return done < options->steps || nbody_file_close(&record->file, why);
}

void
nbody_record_add(struct nbody_record *record, long done,
		 const struct nbody_world *world,
		 const struct nbody_particle *particles)
{
	struct app_why why;

	if (add(record, done, world, particles, &why))
		return;
	app_complain(1, "%s", why.text);
	record->failed = true;
}
