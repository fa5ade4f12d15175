/*
 * file_none.c: files of particles, in a program that was built without netCDF.
 */
#include "apps/nbody/file.h"

static bool
is_missing(struct app_why *why)
{
	return app_because(why,
			   "this nbody was built without netCDF, which files "
			   "of particles need; install libnetcdf-dev, "
			   "configure and build it again");
}

bool
nbody_file_check(struct app_why *why)
{
	return is_missing(why);
}

struct nbody_particle *
nbody_file_read(const char *path, struct nbody_world *world,
		struct app_why *why)
{
	(void)path;
	(void)world;
	is_missing(why);
	return NULL;
}

bool
nbody_file_create(struct nbody_file *file, const char *path,
		  const struct nbody_world *world,
		  const struct nbody_particle *particles, struct app_why *why)
{
	(void)file;
	(void)path;
	(void)world;
	(void)particles;
	return is_missing(why);
}

bool
nbody_file_add(struct nbody_file *file, const struct nbody_world *world,
	       const struct nbody_particle *particles, struct app_why *why)
{
	(void)file;
	(void)world;
	(void)particles;
	return is_missing(why);
}

bool
nbody_file_close(struct nbody_file *file, struct app_why *why)
{
	(void)file;
	return is_missing(why);
}
