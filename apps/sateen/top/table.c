/*
 * table.c: a line of the table has at most 80 columns, as most terminals have,
 * unless a number is very large.
 */
#include "apps/sateen/top/table.h"

#include <inttypes.h>
#include <string.h>

#include "launch/live/meter.h"

#define TIME_TEXT 40
#define NAME_COLUMNS 11
#define MANY 1000 /* a second */

/* A line of the table: a node, or several nodes together. */
struct row {
	char name[32];
	double workers, seconds[TOP_STATES];
	double steals, refused, messages, bytes, queue;
	bool down, bounded;
	double bound;
};

/* Adds a node's counts to the row, less those @before; that may be NULL. */
static void
add_node(struct row *row, const struct top_node *node,
	 const struct top_node *before)
{
	static const struct top_node zero;

	if (!before)
		before = &zero;
	for (int i = 0; i < TOP_STATES; i++)
		row->seconds[i] += node->seconds[i] - before->seconds[i];
	row->workers += node->workers;
	row->steals += node->steals - before->steals;
	row->refused += node->refused - before->refused;
	row->messages += node->messages - before->messages;
	row->bytes += node->bytes - before->bytes;
	row->queue += node->queue;
	row->bounded = node->bounded;
	row->bound = node->bound;
	row->down = !node->up;
}

static void
print_share(const struct row *row, int state, FILE *out)
{
	double all = 0;

	for (int i = 0; i < TOP_STATES; i++)
		all += row->seconds[i];
	if (row->down || !(all > 0))
		fprintf(out, " %4s", "-");
	else
		fprintf(out, " %3.0f%%", 100 * row->seconds[state] / all);
}

/* A speed in @width columns: large ones need no decimal. */
static void
print_speed(double speed, int width, FILE *out)
{
	fprintf(out, " %*.*f", width, speed < MANY ? 1 : 0, speed);
}

/* @seconds  since @before */
static void
print_row(const struct row *row, double seconds, FILE *out)
{
	double per = seconds > 0 ? 1 / seconds : 0;

	fprintf(out, "%-*s %7.0f", NAME_COLUMNS, row->name, row->workers);
	for (int i = 0; i < TOP_STATES; i++)
		print_share(row, i, out);
	print_speed(row->steals * per, 8, out);
	print_speed(row->refused * per, 9, out);
	print_speed(row->messages * per, 6, out);
	print_speed(row->bytes * per / 1000, 6, out);
	fprintf(out, " %5.0f", row->queue);
	if (row->down)
		fprintf(out, "  gone");
	else if (row->bounded)
		fprintf(out, "  %.15g", row->bound);
	putc('\n', out);
}

static void
print_run(const struct top_run *run, FILE *out)
{
	char text[TIME_TEXT];

	stn_meter_duration(run->seconds, text, sizeof(text));
	fprintf(out, "%s: %.0f node%s, %.0f cluster%s, balancer %s, for %s",
		run->program, run->nodes, run->nodes == 1 ? "" : "s",
		run->clusters, run->clusters == 1 ? "" : "s", run->balancer,
		text);
	fprintf(out, "; died %.0f, left %.0f, joined %.0f\n", run->deaths,
		run->left, run->joined);
	if (!(run->known > 0))
		return;
	fprintf(out, "progress: %.1f %%, %.15g of %.15g",
		100 * run->done / run->known, run->done, run->known);
	if (run->left_seconds >= 0) {
		stn_meter_duration(run->left_seconds, text, sizeof(text));
		fprintf(out, "; %s left", text);
	}
	putc('\n', out);
}

/* A name that is too long for its column gets a line of its own. */
static void
name_cluster(const struct top_run *run, uint32_t cluster, struct row *row,
	     FILE *out)
{
	const char *name = top_name(run, cluster);

	if (!name)
		snprintf(row->name, sizeof(row->name), "cluster %" PRIu32,
			 cluster);
	else if (strlen(name) <= NAME_COLUMNS)
		strcpy(row->name, name);
	else
		fprintf(out, "%s\n", name);
}

static void
print_cluster(const struct top_run *run, const struct top_run *before,
	      uint32_t cluster, double seconds, FILE *out)
{
	struct row row = { .down = true };
	bool up = false;

	name_cluster(run, cluster, &row, out);
	for (size_t i = 0; i < run->count; i++) {
		const struct top_node *node = &run->list[i];

		if (node->cluster != cluster)
			continue;
		add_node(&row, node,
			 before ? top_find(before, node->rank) : NULL);
		up |= node->up;
	}
	row.down = !up;
	row.bounded = false;
	print_row(&row, seconds, out);
}

/* Is it the first node of its cluster in the list? */
static bool
is_first(const struct top_run *run, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (run->list[i].cluster == run->list[index].cluster)
			return false;
	return true;
}

void
top_print(const struct top_run *run, const struct top_run *before, FILE *out)
{
	double seconds = run->seconds - (before ? before->seconds : 0);

	print_run(run, out);
	fprintf(out, "%-*s %7s %4s %4s %4s %8s %9s %6s %6s %5s  %s\n",
		NAME_COLUMNS, "", "WORKERS", "WORK", "COMM", "IDLE", "STEALS/s",
		"REFUSED/s", "SENT/s", "KB/s", "QUEUE", "BOUND");
	for (size_t i = 0; i < run->count; i++)
		if (is_first(run, i) &&
		    (run->clusters > 1 || top_name(run, run->list[i].cluster)))
			print_cluster(run, before, run->list[i].cluster,
				      seconds, out);
	for (size_t i = 0; i < run->count; i++) {
		const struct top_node *node = &run->list[i];
		struct row row = { .down = false };

		snprintf(row.name, sizeof(row.name), "node %" PRIu32,
			 node->rank);
		add_node(&row, node,
			 before ? top_find(before, node->rank) : NULL);
		print_row(&row, seconds, out);
	}
}
