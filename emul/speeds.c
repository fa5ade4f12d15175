#include "emul/speeds.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "emul/sections.h"
#include "transport/lines.h"
#include "transport/units.h"

/* A speeds file while it is parsed. */
struct speeds_reader {
	struct stn_sections sections; /* first: speeds_take_line casts it */
	struct stn_speeds *speeds;
};

enum stn_err
stn_speeds_init(struct stn_speeds *speeds, uint32_t count)
{
	*speeds = (struct stn_speeds){ .count = count };
	speeds->nodes = calloc(count, sizeof(speeds->nodes[0]));
	for (uint32_t i = 0; speeds->nodes && i < count; i++) {
		struct stn_speed *node = &speeds->nodes[i];

		node->steps = malloc(sizeof(node->steps[0]));
		if (!node->steps) {
			stn_speeds_fini(speeds);
			return STN_NO_MEMORY;
		}
		node->steps[0] = (struct stn_speed_step){ 0, 1 };
		node->count = 1;
		node->base = 1;
	}
	return speeds->nodes ? STN_OK : STN_NO_MEMORY;
}

void
stn_speeds_fini(struct stn_speeds *speeds)
{
	for (uint32_t i = 0; speeds->nodes && i < speeds->count; i++)
		free(speeds->nodes[i].steps);
	free(speeds->nodes);
	*speeds = (struct stn_speeds){ NULL, 0 };
}

void
stn_speeds_begin(struct stn_speeds *speeds, uint32_t rank, double speed)
{
	speeds->nodes[rank].steps[0].speed = speed;
	speeds->nodes[rank].base = speed;
}

static bool
parse_ranks(char *word, uint32_t count, uint64_t *first_p, uint64_t *last_p)
{
	char *dash = strchr(word, '-');

	if (!strcmp(word, "*")) {
		*first_p = 0;
		*last_p = count - 1;
		return true;
	}
	if (dash)
		*dash++ = '\0';
	if (stn_parse_count(word, 0, count - 1, first_p))
		return false;
	*last_p = *first_p;
	return !dash || !stn_parse_count(dash, *first_p, count - 1, last_p);
}

static bool
parse_speed(const char *word, double *speed_p)
{
	char *end;
	double speed;

	/* strtod would take a sign, "inf" and "nan" as well. */
	if (!word || !isdigit((unsigned char)*word))
		return false;
	speed = stn_parse_real(word, &end);
	if (*end || (speed != 0 &&
		     !(speed >= STN_SPEED_LEAST && speed <= STN_SPEED_MOST)))
		return false;
	*speed_p = speed;
	return true;
}

/* The number of steps of a node is rounded up to a power of two. */
static enum stn_err
add_step(struct stn_speed *node, struct stn_speed_step step)
{
	struct stn_speed_step *last = &node->steps[node->count - 1];

	if (last->start_ns == step.start_ns) {
		last->speed = step.speed;
		return STN_OK;
	}
	if (!(node->count & (node->count - 1))) {
		struct stn_speed_step *steps = reallocarray(
			node->steps, 2 * node->count, sizeof(steps[0]));

		if (!steps)
			return STN_NO_MEMORY;
		node->steps = steps;
	}
	node->steps[node->count++] = step;
	return STN_OK;
}

static enum stn_err
speeds_take_line(struct stn_sections *sections, char *word, char *rest)
{
	struct stn_speeds *speeds = ((struct speeds_reader *)sections)->speeds;
	struct stn_speed_step step = { sections->start_ns, 0 };
	uint64_t first, last;

	if (!parse_ranks(word, speeds->count, &first, &last) ||
	    !parse_speed(strtok_r(NULL, STN_BLANKS, &rest), &step.speed) ||
	    strtok_r(NULL, STN_BLANKS, &rest))
		return STN_MALFORMED;
	for (uint64_t i = first; i <= last; i++) {
		if (add_step(&speeds->nodes[i], step))
			return stn_because(sections->why, STN_NO_MEMORY,
					   "out of memory for speeds");
		speeds->nodes[i].line = sections->number;
	}
	return STN_OK;
}

/* A step is added when a line describes a node: a section needs nothing. */
static enum stn_err
speeds_begin_section(struct stn_sections *sections, uint64_t start_ns)
{
	(void)sections;
	(void)start_ns;
	return STN_OK;
}

static enum stn_err
check_last_steps(const struct stn_speeds *speeds, const char *name,
		 struct stn_why *why)
{
	for (uint32_t i = 0; i < speeds->count; i++) {
		const struct stn_speed *node = &speeds->nodes[i];

		if (node->steps[node->count - 1].speed == 0)
			return stn_because(why, STN_INVALID,
					   "%.100s, line %u: node %" PRIu32
					   " stops for ever; raise its speed "
					   "in a later section",
					   name, node->line, i);
	}
	return STN_OK;
}

enum stn_err
stn_speeds_parse(FILE *in, const char *name, struct stn_speeds *speeds,
		 struct stn_why *why)
{
	char form[STN_FORM_BYTES];
	struct speeds_reader reader = { { .name = name,
					  .form = form,
					  .why = why,
					  .line = speeds_take_line,
					  .begin = speeds_begin_section },
					speeds };
	enum stn_err err;

	snprintf(form, sizeof(form),
		 "NODES SPEED, such as 4-7 0.5, with nodes from 0 to %" PRIu32
		 " and speeds up to %g",
		 speeds->count - 1, STN_SPEED_MOST);
	err = stn_sections_read(in, &reader.sections);
	return err ? err : check_last_steps(speeds, name, why);
}

enum stn_err
stn_speeds_read(const char *path, struct stn_speeds *speeds,
		struct stn_why *why)
{
	enum stn_err err;
	FILE *in;

	if (!strcmp(path, "none"))
		return STN_OK;
	err = stn_lines_open(path, "speeds", &in, why);
	if (err)
		return err;
	err = stn_speeds_parse(in, path, speeds, why);
	fclose(in);
	return err;
}

/* The last step that starts at @ns or before. */
static size_t
find_step(const struct stn_speed *speed, uint64_t ns)
{
	size_t low = 0, high = speed->count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (speed->steps[middle].start_ns <= ns)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* The time that @work_ns takes at a speed; at speed 0 very long. */
static uint64_t
time_at(double speed, uint64_t work_ns)
{
	double ns;

	if (speed == 1 || !work_ns)
		return work_ns;
	ns = (double)work_ns / speed;
	return ns < 0x1p62 ? (uint64_t)ns : 1ull << 62;
}

/* The work that is done in @ns at a speed; at most @most. */
static uint64_t
work_at(double speed, uint64_t ns, uint64_t most)
{
	double work;

	if (speed == 1)
		return ns < most ? ns : most;
	work = (double)ns * speed;
	return work < (double)most ? (uint64_t)work : most;
}

uint64_t
stn_speed_takes(const struct stn_speed *speed, uint64_t begin_ns,
		uint64_t work_ns)
{
	size_t at = find_step(speed, begin_ns);
	uint64_t now = begin_ns;

	for (; at + 1 < speed->count; at++) {
		double pace = speed->steps[at].speed;
		uint64_t left = speed->steps[at + 1].start_ns - now;

		if (pace > 0 && time_at(pace, work_ns) <= left)
			break;
		work_ns -= work_at(pace, left, work_ns);
		now += left;
		if (!work_ns) /* it need not wait for a step of speed 0 */
			return now - begin_ns;
	}
	return now - begin_ns + time_at(speed->steps[at].speed, work_ns);
}

double
stn_speed_share(const struct stn_speed *speed, uint64_t now_ns)
{
	double now = speed->steps[find_step(speed, now_ns)].speed;

	return now < speed->base ? now / speed->base : 1;
}
