/*
 * measure.c: rounds are measured in blocks, one block of each path in turn.
 * Other load on the machine then disturbs all paths alike.
 */
#include "bench/fabric/measure.h"

#include <stdlib.h>
#include <string.h>

#include "bench/ticks.h"

/*
 * One series of measurements: a path, or Sateen's path again with payloads in
 * pieces.
 */
struct track {
	struct path *path;
	size_t number; /* of the path */
	size_t pieces;
	const char *name;
	struct sample *sample;
};

/* All tracks of a benchmark. */
struct course {
	const struct measured *measured;
	const struct schedule *schedule;
	double ticks_a_ns;
	double clock_ns; /* time that one reading of the clock takes */
	struct track tracks[MEASURE_PATHS + 1];
	size_t count;
};

/* Orders node 1 to answer or drain; then sets the track's pieces. */
static void
order(const struct course *course, const struct track *track,
      enum ours_task task, size_t bytes, size_t count)
{
	path_begin(track->path);
	ours_pieces(course->measured->ours, 1);
	ours_order(course->measured->ours,
		   (struct ours_order){ task, track->number, bytes, count });
	ours_pieces(course->measured->ours, track->pieces);
}

/*
 * Ends the run if the last message has not arrived unchanged. Then clears the
 * memory, so that the next check can't find these bytes again.
 */
static void
check_arrived(struct path *path, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		if (path->in[i] != path_byte(!path->rank, i))
			path_fail(path, "byte %zu of %zu arrived wrong", i,
				  bytes);
	memset(path->in, 0, bytes);
}

/*
 * The first round trip is not measured: node 1 may not have read the order yet.
 * The end of each round trip is the beginning of the next, so only the first
 * and the last answer can be checked without being timed.
 */
static void
time_round_trips(const struct course *course, const struct track *track,
		 size_t bytes, size_t count)
{
	struct path *path = track->path;
	uint64_t last, now;

	order(course, track, OURS_ANSWER, bytes, count + 1);
	path->ops->ping(path, bytes);
	check_arrived(path, bytes);
	last = ticks_now();
	for (size_t i = 0; i < count; i++) {
		double ns;

		path->ops->ping(path, bytes);
		now = ticks_now();
		ns = (double)(now - last) / course->ticks_a_ns;
		sample_add(track->sample, (ns - course->clock_ns) / 1e3);
		last = now;
	}
	check_arrived(path, bytes);
}

static void
time_stream(const struct course *course, const struct track *track,
	    size_t bytes, size_t count)
{
	bool in_bytes = course->schedule->kind == SCHEDULE_THROUGHPUT;
	struct path *path = track->path;
	uint64_t begin;
	double ns;

	order(course, track, OURS_DRAIN, bytes, count);
	path->ops->stream(path, bytes, path_warm(count));
	begin = ticks_now();
	path->ops->stream(path, bytes, count);
	ns = (double)(ticks_now() - begin) / course->ticks_a_ns;
	sample_add(track->sample, in_bytes ? (double)(bytes * count) / ns
					   : (double)count * 1e3 / ns);
}

static void
time_block(const struct course *course, const struct track *track, size_t bytes,
	   size_t count)
{
	if (course->schedule->kind == SCHEDULE_LATENCY)
		time_round_trips(course, track, bytes, count);
	else
		time_stream(course, track, bytes, count);
}

void
measure_row(const struct measured *measured, const struct schedule *schedule,
	    const char *path, const char *unit, size_t bytes,
	    struct sample *sample, struct report *report)
{
	bool less_is_better = schedule->kind == SCHEDULE_LATENCY;

	report_add(report,
		   &(struct report_row){
			   .benchmark = schedule->name,
			   .transport = measured->transport,
			   .provider = measured->provider,
			   .path = path,
			   .bytes = bytes,
			   .median = sample_at(sample, 50),
			   .p99 = sample_at(sample, less_is_better ? 99 : 1),
			   .unit = unit,
			   .samples = sample->count,
		   });
}

static bool
carries(const struct track *track, size_t bytes)
{
	size_t longest = track->path->ops->longest;

	return !longest || bytes <= longest;
}

/*
 * The first block of each track is not counted: it makes connections, fills
 * caches and registers memory.
 */
static void
measure_size(struct course *course, size_t bytes)
{
	struct schedule_rounds rounds =
		schedule_rounds(course->schedule, bytes);

	for (size_t block = 0; block <= rounds.blocks; block++)
		for (size_t i = 0; i < course->count; i++) {
			struct track *track = &course->tracks[i];

			if (carries(track, bytes))
				time_block(course, track, bytes, rounds.each);
			if (!block)
				track->sample->count = 0;
		}
}

static void
add_track(struct course *course, size_t number, size_t pieces, const char *name)
{
	struct path *path = course->measured->paths[number];
	struct track *track = &course->tracks[course->count++];

	*track = (struct track){
		.path = path,
		.number = number,
		.pieces = pieces,
		.name = name,
		.sample = malloc(sizeof(*track->sample)),
	};
	if (!track->sample)
		path_fail(path, "out of memory");
}

/* Is a path with these calls measured by this benchmark? */
static bool
is_measured(const struct path_ops *ops, enum schedule_kind kind)
{
	if (kind == SCHEDULE_THROUGHPUT)
		return ops->payloads;
	return ops->messages && (kind == SCHEDULE_LATENCY || ops->stream);
}

static void
add_tracks(struct course *course, struct measured *measured)
{
	size_t pieces = (size_t)course->schedule->pieces;

	for (size_t i = 0; i < measured->count; i++) {
		const struct path_ops *ops = measured->paths[i]->ops;

		if (is_measured(ops, course->schedule->kind))
			add_track(course, i, 1, ops->name);
		if (i || pieces == 1)
			continue;
		snprintf(measured->in_pieces, sizeof(measured->in_pieces),
			 "%s, %zu pieces", ops->name, pieces);
		add_track(course, i, pieces, measured->in_pieces);
	}
}

void
measure(struct measured *measured, const struct schedule *schedule,
	struct report *report)
{
	struct course course = { .measured = measured, .schedule = schedule };

	course.ticks_a_ns = ticks_per_ns();
	course.clock_ns = ticks_cost_ns(course.ticks_a_ns);
	add_tracks(&course, measured);
	for (size_t i = 0; i < schedule->count; i++) {
		measure_size(&course, schedule->sizes[i]);
		for (size_t j = 0; j < course.count; j++)
			if (carries(&course.tracks[j], schedule->sizes[i]))
				measure_row(measured, schedule,
					    course.tracks[j].name,
					    schedule->unit, schedule->sizes[i],
					    course.tracks[j].sample, report);
	}
	for (size_t i = 0; i < course.count; i++)
		free(course.tracks[i].sample);
	ours_pieces(measured->ours, 1);
}

/* Checks the bytes after the whole stream, so the check is not timed. */
static void
serve_stream(struct path *path, size_t bytes, size_t count)
{
	path->ops->drain(path, bytes, path_warm(count));
	path->ops->drain(path, bytes, count);
	check_arrived(path, bytes);
}

/* Checks only the last message, because node 0 times its round trips. */
static void
serve_round_trips(struct path *path, size_t bytes, size_t count)
{
	while (count--)
		path->ops->pong(path, bytes);
	check_arrived(path, bytes);
}

void
measure_serve(const struct measured *measured)
{
	for (;;) {
		struct ours_order order = ours_obey(measured->ours);
		struct path *path;

		if (order.task == OURS_LEAVE || order.path >= measured->count)
			return;
		path = measured->paths[order.path];
		path_begin(path);
		if (order.task == OURS_DRAIN)
			serve_stream(path, order.bytes, order.count);
		else
			serve_round_trips(path, order.bytes, order.count);
	}
}
