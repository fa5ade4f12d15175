#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/nbody/file.h"
#include "apps/nbody/netcdf_calls.h"
#include "apps/nbody/netcdf_header.h"

#define CHUNK 4096 /* particles that are read at once */

/* A file that is open. Coordinates have the dimensions frame, atom, spatial. */
struct source {
	const struct netcdf_calls *calls;
	const char *path;
	struct app_why *why;
	int file, directions;
	int dims[3];
	size_t size[3];
	struct nbody_particle *particles;
};

/* The directions of the variable that comes before atoms: 1 with frames. */
static int
leading(const struct source *source)
{
	return source->directions - 2;
}

static size_t
count_of(const struct source *source)
{
	return source->size[leading(source)];
}

static bool
fails(const struct source *source, int error)
{
	return !app_because(source->why, "%s: %s", source->path,
			    source->calls->strerror(error));
}

/* Finds a variable of real numbers with the same dimensions. */
static bool
find(const struct source *source, const char *name, int directions,
     const int *dims, int *variable_p)
{
	int found[NC_MAX_VAR_DIMS], count, error;
	nc_type type;

	error = source->calls->inq_varid(source->file, name, variable_p);
	if (error)
		return app_because(source->why, "%s: no variable %s",
				   source->path, name);
	error = source->calls->inq_vartype(source->file, *variable_p, &type);
	if (!error)
		error = source->calls->inq_varndims(source->file, *variable_p,
						    &count);
	if (!error && count == directions)
		error = source->calls->inq_vardimid(source->file, *variable_p,
						    found);
	if (error)
		return !fails(source, error);
	if (type != NC_FLOAT && type != NC_DOUBLE)
		return app_because(source->why,
				   "%s: %s is not of type float or double",
				   source->path, name);
	if (count != directions ||
	    memcmp(found, dims, (size_t)directions * sizeof(*dims)))
		return app_because(source->why,
				   "%s: %s has not the dimensions of the "
				   "particles' coordinates",
				   source->path, name);
	return true;
}

static bool
has(const struct source *source, const char *name)
{
	int variable;

	return !source->calls->inq_varid(source->file, name, &variable);
}

/* Learns the dimensions of coordinates. */
static bool
measure(struct source *source)
{
	int variable, error;

	error = source->calls->inq_varid(source->file, "coordinates",
					 &variable);
	if (error)
		return app_because(source->why, "%s: no variable coordinates",
				   source->path);
	error = source->calls->inq_varndims(source->file, variable,
					    &source->directions);
	if (!error && (source->directions < 2 || source->directions > 3))
		return app_because(source->why,
				   "%s: coordinates has %d dimensions, not "
				   "frame, atom and spatial",
				   source->path, source->directions);
	if (!error)
		error = source->calls->inq_vardimid(source->file, variable,
						    source->dims);
	for (int d = 0; d < source->directions && !error; d++)
		error = source->calls->inq_dimlen(source->file, source->dims[d],
						  &source->size[d]);
	return !error || !fails(source, error);
}

static bool
check_size(const struct source *source)
{
	size_t count = count_of(source);

	if (source->size[source->directions - 1] != 3)
		return app_because(source->why,
				   "%s: coordinates are not in 3 dimensions",
				   source->path);
	if (leading(source) && !source->size[0])
		return app_because(source->why, "%s: it has no frame",
				   source->path);
	if (count < 1 || count > NBODY_MOST)
		return app_because(source->why,
				   "%s: it has %zu particles, not 1 to %d",
				   source->path, count, NBODY_MOST);
	return true;
}

/* A file may have a number with which a variable is to be multiplied. */
static bool
read_scale(const struct source *source, int variable, double *scale_p)
{
	size_t count = 0;
	nc_type type;
	int error;

	*scale_p = 1;
	error = source->calls->inq_att(source->file, variable, "scale_factor",
				       &type, &count);
	if (error || count != 1 || type == NC_CHAR)
		return true;
	error = source->calls->get_att_double(source->file, variable,
					      "scale_factor", scale_p);
	return !error || !fails(source, error);
}

/*
 * Reads @width numbers a particle, of the last frame. The first number goes to
 * the byte @member of a particle.
 */
static bool
read_numbers(const struct source *source, const char *name, int variable,
	     int width, size_t member)
{
	/* A mass has only the dimension atom. */
	int first = width == 3 ? leading(source) : 0;
	size_t from[3] = { 0 }, size[3] = { 1, 1, 1 }, count = count_of(source);
	double buffer[CHUNK * 3], scale;
	int error;

	if (!read_scale(source, variable, &scale))
		return false;
	if (first)
		from[0] = source->size[0] - 1;
	size[first + 1] = (size_t)width;
	for (size_t done = 0; done < count; done += size[first]) {
		from[first] = done;
		size[first] = count - done < CHUNK ? count - done : CHUNK;
		error = source->calls->get(source->file, variable, from, size,
					   buffer);
		if (error)
			return !fails(source, error);
		for (size_t i = 0; i < size[first] * (size_t)width; i++) {
			double value = scale * buffer[i];
			size_t row = done + i / (size_t)width;
			char *particle = (char *)&source->particles[row];

			if (!isfinite(value))
				return app_because(source->why,
						   "%s: %s of particle %zu is "
						   "not finite",
						   source->path, name, row);
			memcpy(particle + member +
				       i % (size_t)width * sizeof(value),
			       &value, sizeof(value));
		}
	}
	return true;
}

static bool
read_vectors(const struct source *source, const char *name, size_t member)
{
	int variable;

	return find(source, name, source->directions, source->dims,
		    &variable) &&
	       read_numbers(source, name, variable, 3, member);
}

static bool
read_scalars(const struct source *source, const char *name, size_t member)
{
	int variable;

	return find(source, name, 1, &source->dims[leading(source)],
		    &variable) &&
	       read_numbers(source, name, variable, 1, member);
}

static bool
read_sources(const struct source *source, const struct nbody_world *world)
{
	size_t count = count_of(source);

	if (has(source, "mass") &&
	    !read_scalars(source, "mass",
			  offsetof(struct nbody_particle, mass)))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!(source->particles[i].mass > 0))
			return app_because(
				source->why,
				"%s: the mass of particle %zu is not positive",
				source->path, i);
	if (world->charges)
		return read_scalars(source, "charge",
				    offsetof(struct nbody_particle, source));
	for (size_t i = 0; i < count; i++)
		source->particles[i].source = source->particles[i].mass;
	return true;
}

static bool
read_time(const struct source *source, double *time_p)
{
	size_t from = leading(source) ? source->size[0] - 1 : 0, one = 1;
	int variable, error, count;

	*time_p = 0;
	if (source->calls->inq_varid(source->file, "time", &variable))
		return true;
	error = source->calls->inq_varndims(source->file, variable, &count);
	if (!error && count != leading(source))
		return app_because(source->why,
				   "%s: time has not the dimension of the "
				   "frames",
				   source->path);
	if (!error)
		error = source->calls->get(source->file, variable, &from, &one,
					   time_p);
	if (error)
		return !fails(source, error);
	return isfinite(*time_p) ||
	       app_because(source->why, "%s: the time is not finite",
			   source->path);
}

static bool
allocate(struct source *source)
{
	size_t count = count_of(source);

	source->particles = malloc(count * sizeof(*source->particles));
	if (!source->particles)
		return app_because(source->why, "%s: out of memory",
				   source->path);
	for (size_t i = 0; i < count; i++)
		source->particles[i] =
			(struct nbody_particle){ .number = i,
						 .mass = 1 / (double)count };
	return true;
}

static bool
read_all(struct source *source, struct nbody_world *world)
{
	if (!measure(source) || !check_size(source) || !allocate(source) ||
	    !read_vectors(source, "coordinates",
			  offsetof(struct nbody_particle, at)) ||
	    (has(source, "velocities") &&
	     !read_vectors(source, "velocities",
			   offsetof(struct nbody_particle, velocity))) ||
	    !read_sources(source, world) || !read_time(source, &world->time))
		return false;
	world->count = count_of(source);
	return true;
}

struct nbody_particle *
nbody_file_read(const char *path, struct nbody_world *world,
		struct app_why *why)
{
	struct source source = { .path = path, .why = why };
	int error;

	/*
	 * The library would read files that are not classic by HDF5, or load a
	 * name with "://" from the network.
	 */
	if (!netcdf_header_check(path, why))
		return NULL;
	source.calls = netcdf_load(why);
	if (!source.calls)
		return NULL;
	error = source.calls->open(path, NC_NOWRITE, &source.file);
	if (error && fails(&source, error))
		return NULL;
	if (!read_all(&source, world)) {
		free(source.particles);
		source.particles = NULL;
	}
	source.calls->close(source.file);
	return source.particles;
}
