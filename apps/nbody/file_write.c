#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apps/nbody/file.h"
#include "apps/nbody/netcdf_calls.h"

#define CHUNK 4096 /* particles that are written at once */

enum { FRAME, ATOM, SPATIAL, DIMENSIONS };

static void
forget_unfinished(struct nbody_file *file)
{
	if (file->unfinished)
		unlink(file->unfinished);
	free(file->unfinished);
	file->unfinished = NULL;
}

/* Closes the file after an error of the library. */
static bool
give_up(const struct netcdf_calls *calls, struct nbody_file *file, int error,
	struct app_why *why)
{
	calls->close(file->file);
	forget_unfinished(file);
	return app_because(why, "%s: %s", file->path, calls->strerror(error));
}

/* Sets an attribute, unless there was an error. Returns the error. */
static int
attribute(const struct netcdf_calls *calls, int error, int file, int variable,
	  const char *name, const char *text)
{
	return error ? error
		     : calls->put_att_text(file, variable, name, strlen(text),
					   text);
}

static int
define_variables(const struct netcdf_calls *calls, struct nbody_file *file,
		 bool charges, const int *dims, int variables[3])
{
	static const char *const names[3] = { "spatial", "mass", "charge" };
	int id = file->file, error;

	error = calls->def_var(id, "time", NC_DOUBLE, 1, &dims[FRAME],
			       &file->time);
	if (!error)
		error = calls->def_var(id, "coordinates", NC_DOUBLE, 3, dims,
				       &file->coordinates);
	if (!error)
		error = calls->def_var(id, "velocities", NC_DOUBLE, 3, dims,
				       &file->velocities);
	for (int i = 0; i < 2 + charges && !error; i++)
		error = calls->def_var(id, names[i], i ? NC_DOUBLE : NC_CHAR, 1,
				       &dims[i ? ATOM : SPATIAL],
				       &variables[i]);
	error = attribute(calls, error, id, file->time, "units", "picosecond");
	error = attribute(calls, error, id, file->coordinates, "units",
			  "angstrom");
	return attribute(calls, error, id, file->velocities, "units",
			 "angstrom/picosecond");
}

static int
describe(const struct netcdf_calls *calls, int file)
{
	static const char *const texts[][2] = {
		{ "title", "particles" },
		{ "application", "Sateen" },
		{ "program", "nbody" },
		{ "programVersion", "1" },
		{ "Conventions", "AMBER" },
		{ "ConventionVersion", "1.0" },
		{ "comment", "units of measurement are nominal: the "
			     "gravitational constant, and Coulomb's, are 1" },
	};
	int error = 0;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		error = attribute(calls, error, file, NC_GLOBAL, texts[i][0],
				  texts[i][1]);
	return error;
}

/* Defines the contents. Returns the library's error. */
static int
define(const struct netcdf_calls *calls, struct nbody_file *file, bool charges,
       int variables[3])
{
	int dims[DIMENSIONS], before, error;

	error = calls->def_dim(file->file, "frame", NC_UNLIMITED, &dims[FRAME]);
	if (!error)
		error = calls->def_dim(file->file, "atom", file->count,
				       &dims[ATOM]);
	if (!error)
		error = calls->def_dim(file->file, "spatial", 3,
				       &dims[SPATIAL]);
	if (!error)
		error = define_variables(calls, file, charges, dims, variables);
	if (!error)
		error = describe(calls, file->file);
	if (!error)
		error = calls->set_fill(file->file, NC_NOFILL, &before);
	return error ? error : calls->enddef(file->file);
}

/*
 * Writes @width numbers a particle, of which the first is @member bytes behind
 * a particle's begin. Returns the library's error.
 */
static int
put(const struct netcdf_calls *calls, const struct nbody_file *file,
    int variable, int width, size_t member,
    const struct nbody_particle *particles)
{
	int first = width == 3, error = 0;
	size_t from[DIMENSIONS] = { 0 }, size[DIMENSIONS] = { 1, 1, 1 };
	double buffer[CHUNK * 3];

	if (first)
		from[FRAME] = file->frames;
	size[first + 1] = (size_t)width;
	for (size_t done = 0; done < file->count && !error;
	     done += size[first]) {
		size_t left = file->count - done, bytes;

		from[first] = done;
		size[first] = left < CHUNK ? left : CHUNK;
		bytes = (size_t)width * sizeof(*buffer);
		for (size_t i = 0; i < size[first]; i++)
			memcpy(&buffer[i * (size_t)width],
			       (const char *)&particles[done + i] + member,
			       bytes);
		error = calls->put(file->file, variable, from, size, buffer);
	}
	return error;
}

/* Only particles with charges have a variable for them. */
static int
put_constants(const struct netcdf_calls *calls, const struct nbody_file *file,
	      const struct nbody_world *world, const int variables[3],
	      const struct nbody_particle *particles)
{
	static const size_t zero, three = 3;
	int error;

	error = calls->put_text(file->file, variables[0], &zero, &three, "xyz");
	if (!error)
		error = put(calls, file, variables[1], 1,
			    offsetof(struct nbody_particle, mass), particles);
	if (!error && world->charges)
		error = put(calls, file, variables[2], 1,
			    offsetof(struct nbody_particle, source), particles);
	return error;
}

bool
nbody_file_check(struct app_why *why)
{
	return netcdf_load(why) != NULL;
}

/* A file that is no regular one would be replaced by one. */
static bool
check_path(const char *path, struct app_why *why)
{
	struct stat stat_;

	return stat(path, &stat_) || S_ISREG(stat_.st_mode) ||
	       app_because(why, "%s: it is not a regular file", path);
}

bool
nbody_file_create(struct nbody_file *file, const char *path,
		  const struct nbody_world *world,
		  const struct nbody_particle *particles, struct app_why *why)
{
	const struct netcdf_calls *calls = netcdf_load(why);
	int variables[3], error;

	*file = (struct nbody_file){ .path = path, .count = world->count };
	if (!calls || !check_path(path, why))
		return false;
	if (asprintf(&file->unfinished, "%s.unfinished.%ld", path,
		     (long)getpid()) < 0) {
		file->unfinished = NULL;
		return app_because(why, "out of memory");
	}
	error = calls->create(file->unfinished, NC_64BIT_OFFSET, &file->file);
	if (error) {
		forget_unfinished(file);
		return app_because(why, "%s: %s", path, calls->strerror(error));
	}
	error = define(calls, file, world->charges, variables);
	if (!error)
		error = put_constants(calls, file, world, variables, particles);
	return !error || give_up(calls, file, error, why);
}

bool
nbody_file_add(struct nbody_file *file, const struct nbody_world *world,
	       const struct nbody_particle *particles, struct app_why *why)
{
	const struct netcdf_calls *calls = netcdf_load(why);
	size_t one = 1;
	int error;

	if (!calls)
		return false;
	error = calls->put(file->file, file->time, &file->frames, &one,
			   &world->time);
	if (!error)
		error = put(calls, file, file->coordinates, 3,
			    offsetof(struct nbody_particle, at), particles);
	if (!error)
		error = put(calls, file, file->velocities, 3,
			    offsetof(struct nbody_particle, velocity),
			    particles);
	file->frames++;
	return !error || give_up(calls, file, error, why);
}

bool
nbody_file_close(struct nbody_file *file, struct app_why *why)
{
	const struct netcdf_calls *calls = netcdf_load(why);
	int error;

	if (!calls)
		return false;
	error = calls->close(file->file);
	if (error)
		app_because(why, "%s: %s", file->path, calls->strerror(error));
	else if (rename(file->unfinished, file->path))
		error = !app_because(why, "%s: %s", file->path,
				     strerror(errno));
	if (error)
		forget_unfinished(file);
	free(file->unfinished);
	file->unfinished = NULL;
	return !error;
}
