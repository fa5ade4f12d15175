/*
 * summary_table.c: statistics as a table: a line a count; its sum, how many
 * that is in a second (of times: what part of all the workers' time), and then
 * a column a cluster, or a node where there is one cluster. What never happened
 * has no line, nor have the indented ones below it.
 */
#include <inttypes.h>

#include "steal/stats/summary.h"

#define MOST_COLUMNS 8 /* else there are none: JSON has it all */

struct table {
	const struct stn_summary *summary;
	FILE *out;
	struct stn_stats total, columns[MOST_COLUMNS];
	uint32_t column_count;
	const char *what; /* a column is for */
};

static void
fill_columns(struct table *table)
{
	const struct stn_summary *summary = table->summary;
	const struct stn_topology *topology = summary->topology;
	bool clusters = topology->clusters > 1;
	uint32_t count = clusters ? topology->clusters : topology->nodes;

	table->what = clusters ? "cluster" : "node";
	if (count == 1 || count > MOST_COLUMNS)
		return;
	table->column_count = count;
	for (uint32_t i = 0; i < count; i++)
		table->columns[i] = clusters ? stn_summary_cluster(summary, i)
					     : summary->nodes[i];
}

static void
print_head(const struct table *table)
{
	const struct stn_summary *summary = table->summary;
	const struct stn_topology *topology = summary->topology;

	fprintf(table->out,
		"statistics: %" PRIu32 " node%s, %" PRIu32
		" cluster%s, %" PRIu32 " worker%s a node, %s, %s; %.3f s%s\n",
		topology->nodes, topology->nodes == 1 ? "" : "s",
		topology->clusters, topology->clusters == 1 ? "" : "s",
		summary->workers, summary->workers == 1 ? "" : "s",
		summary->config->balancer,
		stn_config_transport(summary->config),
		(double)summary->run_ns * 1e-9,
		summary->interrupted ? ", interrupted" : "");
	fprintf(table->out, "%-33s %12s %10s", "", "sum", "a second");
	for (uint32_t i = 0; i < table->column_count; i++)
		fprintf(table->out, " %7s%3" PRIu32, table->what, i);
	fputc('\n', table->out);
}

static void
print_value(const struct stn_count *count, const struct stn_stats *stats,
	    int width, FILE *out)
{
	uint64_t value = stn_count_get(count, stats);

	if (stn_count_is_time(count))
		fprintf(out, " %*.3f", width, (double)value * 1e-9);
	else
		fprintf(out, " %*" PRIu64, width, value);
}

static void
print_rate(const struct table *table, const struct stn_count *count)
{
	uint64_t value = stn_count_get(count, &table->total);
	uint64_t time = stn_stats_time(&table->total);

	if (stn_count_is_time(count))
		fprintf(table->out, " %8.1f %%", 100 * stn_share(value, time));
	else
		fprintf(table->out, " %10.0f",
			1e9 * stn_share(value, table->summary->run_ns));
}

static void
print_count(const struct table *table, const struct stn_count *count)
{
	fprintf(table->out, "%-33s", count->text);
	print_value(count, &table->total, 12, table->out);
	print_rate(table, count);
	for (uint32_t i = 0; i < table->column_count; i++)
		print_value(count, &table->columns[i], 10, table->out);
	fputc('\n', table->out);
}

static void
print_counts(const struct table *table)
{
	bool shown = false;

	for (const struct stn_count *count = stn_counts; count->name; count++) {
		if (*count->text != ' ')
			shown = stn_count_get(count, &table->total);
		if (shown)
			print_count(table, count);
	}
}

static void
print_shares(const struct table *table, const char *text, const char *name)
{
	const struct stn_count *count = stn_count_find(name);
	uint64_t whole = stn_count_get(count, &table->total);

	fprintf(table->out, "%-33s %12s %10s", text, "", "");
	for (uint32_t i = 0; i < table->column_count; i++) {
		uint64_t part = stn_count_get(count, &table->columns[i]);

		fprintf(table->out, " %8.1f %%", 100 * stn_share(part, whole));
	}
	fputc('\n', table->out);
}

void
stn_summary_table(const struct stn_summary *summary, FILE *out)
{
	struct table table = { .summary = summary, .out = out };

	table.total = stn_summary_total(summary);
	fill_columns(&table);
	print_head(&table);
	print_counts(&table);
	if (!table.column_count)
		return;
	print_shares(&table, "share of the tasks executed", "executed");
	print_shares(&table, "share of the time working", "working_ns");
}
