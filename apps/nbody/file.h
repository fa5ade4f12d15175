/*
 * file.h: files of particles, in netCDF's classic format with AMBER's
 * conventions for trajectories (https://ambermd.org/netcdf/nctraj.xhtml). VMD,
 * cpptraj, MDAnalysis, OVITO and others open them.
 *
 * A file has a number of frames. A frame has the variables time, coordinates
 * and velocities; each file also has the variable mass, and with charges the
 * variable charge, which are ours. Numbers are of type double, so that a run
 * that continues from a file has the same bits. AMBER's units of measurement
 * are only nominal: the constants of particle.h hold.
 *
 * Astronomers use HDF5 (Gadget, SWIFT), whose library crashes on malformed
 * files and full disks, or formats without a library (TIPSY, Gadget's own).
 */
#ifndef NBODY_FILE_H
#define NBODY_FILE_H

#include "apps/app.h"
#include "apps/nbody/particle.h"

/*
 * nbody_file_read: reads the last frame of a file of these conventions, or of
 * AMBER's for restarts. If the variable velocities is missing, particles are at
 * rest; if mass is missing, masses are equal and their sum is 1. Charges must
 * be there if @world->charges. Sets the count and the time of @world. Returns
 * an array that the caller frees, or NULL with the reason, which begins with
 * "@path:", in @why.
 */
struct nbody_particle *nbody_file_read(const char *path,
				       struct nbody_world *world,
				       struct app_why *why);

/*
 * nbody_file_check: whether the library is there that reads and writes files.
 * Returns false with the reason in @why.
 */
bool nbody_file_check(struct app_why *why);

/* A file that is being written. */
struct nbody_file {
	const char *path;
	char *unfinished; /* its name until it is finished */
	int file;
	int time, coordinates, velocities; /* variables */
	size_t frames, count;
};

/*
 * nbody_file_create: begins a file with the masses and charges of @particles.
 * It appears at @path, which stays the caller's, when it is closed.
 * nbody_file_add: adds a frame.
 * nbody_file_close: finishes the file; a file of that name is replaced.
 *
 * @particles are in the order of their numbers. All return false with the
 * reason in @why; then the file is closed, and is removed.
 */
bool nbody_file_create(struct nbody_file *file, const char *path,
		       const struct nbody_world *world,
		       const struct nbody_particle *particles,
		       struct app_why *why);
bool nbody_file_add(struct nbody_file *file, const struct nbody_world *world,
		    const struct nbody_particle *particles,
		    struct app_why *why);
bool nbody_file_close(struct nbody_file *file, struct app_why *why);

#endif
