/*
 * mpi_pingpong: measures MPI's messages, to compare Sateen's with them: round
 * trips or streams between two ranks, each on its own processor, measured as
 * sateen-fabric does. `make bench-fabric` builds it with each installed MPI.
 *
 *	mpi_pingpong latency|throughput NAME ROUNDS BYTES...
 *
 * Prints lines in the format of sateen bench's CSV, with NAME as the path.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/sample.h"
#include "bench/ticks.h"

#define BLOCK 32  /* messages in a timed stream */
#define WINDOW 16 /* messages under way */
#define WARM 20	  /* round trips before the measured ones */
#define TAG 1

struct course {
	int rank;
	long rounds;
	double ticks_a_ns, clock_ns;
	char *out, *in;
	struct sample sample;
};

static void
put(const struct course *course, int bytes)
{
	MPI_Send(course->out, bytes, MPI_CHAR, !course->rank, TAG,
		 MPI_COMM_WORLD);
}

static void
get(const struct course *course, int bytes)
{
	MPI_Recv(course->in, bytes, MPI_CHAR, !course->rank, TAG,
		 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void
round_trip(const struct course *course, int bytes)
{
	if (!course->rank)
		put(course, bytes);
	get(course, bytes);
	if (course->rank)
		put(course, bytes);
}

static void
time_round_trips(struct course *course, int bytes)
{
	uint64_t last, now;

	for (int i = 0; i < WARM; i++)
		round_trip(course, bytes);
	last = ticks_now();
	for (long i = 0; i < course->rounds; i++) {
		double ns;

		round_trip(course, bytes);
		now = ticks_now();
		ns = (double)(now - last) / course->ticks_a_ns;
		sample_add(&course->sample, (ns - course->clock_ns) / 1e3);
		last = now;
	}
}

/* Keeps WINDOW messages under way; one byte comes back when all arrived. */
static void
stream(const struct course *course, int bytes, int count)
{
	MPI_Request requests[WINDOW];

	for (int i = 0; i < WINDOW; i++)
		requests[i] = MPI_REQUEST_NULL;
	for (int i = 0; i < count; i++) {
		MPI_Request *request = &requests[i % WINDOW];

		MPI_Wait(request, MPI_STATUS_IGNORE);
		if (course->rank)
			MPI_Irecv(course->in, bytes, MPI_CHAR, 0, TAG,
				  MPI_COMM_WORLD, request);
		else
			MPI_Isend(course->out, bytes, MPI_CHAR, 1, TAG,
				  MPI_COMM_WORLD, request);
	}
	for (int i = 0; i < WINDOW; i++)
		MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
	if (course->rank)
		put(course, 1);
	else
		get(course, 1);
}

static void
time_streams(struct course *course, int bytes)
{
	stream(course, bytes, BLOCK);
	for (long i = 0; i < course->rounds; i += BLOCK) {
		uint64_t begin = ticks_now();
		double ns;

		stream(course, bytes, BLOCK);
		ns = (double)(ticks_now() - begin) / course->ticks_a_ns;
		sample_add(&course->sample, (double)bytes * BLOCK / ns);
	}
}

static void
print(struct course *course, const char *benchmark, const char *name, int bytes)
{
	bool latency = !strcmp(benchmark, "latency");

	printf("%s,mpi,,%s,%d,%.6g,%.6g,%s,%zu\n", benchmark, name, bytes,
	       sample_at(&course->sample, 50),
	       sample_at(&course->sample, latency ? 99 : 1),
	       latency ? "us" : "GB/s", course->sample.count);
	fflush(stdout);
}

static void
measure(struct course *course, const char *benchmark, const char *name,
	int bytes)
{
	course->out = malloc((size_t)bytes);
	course->in = malloc((size_t)bytes);
	if (!course->out || !course->in)
		MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
	memset(course->out, 'a', (size_t)bytes);
	memset(course->in, 0, (size_t)bytes);
	course->sample.count = 0;
	if (strcmp(benchmark, "latency"))
		time_streams(course, bytes);
	else
		time_round_trips(course, bytes);
	if (!course->rank)
		print(course, benchmark, name, bytes);
	free(course->out);
	free(course->in);
}

int
main(int argc, char **argv)
{
	static struct course course;
	int size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &course.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc < 5 || size != 2) {
		fputs("usage: mpi_pingpong latency|throughput NAME ROUNDS "
		      "BYTES..., on two ranks\n",
		      stderr);
		MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
	}
	course.rounds = atol(argv[3]);
	course.ticks_a_ns = ticks_per_ns();
	course.clock_ns = ticks_cost_ns(course.ticks_a_ns);
	for (int i = 4; i < argc; i++)
		measure(&course, argv[1], argv[2], atoi(argv[i]));
	MPI_Finalize();
	return 0;
}
