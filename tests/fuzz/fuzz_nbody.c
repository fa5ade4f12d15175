/*
 * fuzz_nbody.c: arbitrary bytes are either a file of particles as file.h
 * promises, or are refused with one line.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "apps/nbody/file.h"
#include "tests/fuzz/fuzz.h"

static void
check_particles(const struct nbody_world *world,
		const struct nbody_particle *particles)
{
	require(world->count >= 1 && world->count <= NBODY_MOST);
	require(isfinite(world->time));
	for (uint64_t i = 0; i < world->count; i++) {
		require(particles[i].number == i);
		require(particles[i].mass > 0);
		require(isfinite(particles[i].mass));
		require(isfinite(particles[i].source));
		for (int d = 0; d < 3; d++) {
			require(isfinite(particles[i].at[d]));
			require(isfinite(particles[i].velocity[d]));
		}
	}
}

/* The library reads only files that have a name. */
static void
read_file(const char *path, bool charges)
{
	struct nbody_world world = { .charges = charges };
	struct app_why why = { "" };
	struct nbody_particle *particles = nbody_file_read(path, &world, &why);

	if (particles)
		check_particles(&world, particles);
	else
		require(!strncmp(why.text, path, strlen(path)) &&
			!strchr(why.text, '\n'));
	free(particles);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int file = memfd_create("particles", 0);
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	require(file >= 0 && write(file, data, size) == (ssize_t)size);
	read_file(path, false);
	read_file(path, true);
	close(file);
	return 0;
}
