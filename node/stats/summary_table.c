/*
 * summary_table.c: prints statistics as a table with one line for each count:
 * its sum, its rate per second (for a time: its share of all workers' time),
 * then one column for each cluster, or for each node if the run has one
 * cluster. A count that is 0 has no line, and neither have the indented lines
 * below it, nor its shares.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "node/stats/summary_show.h"

#define MOST_COLUMNS 8 /* with more, only JSON shows them */

struct table {
	const struct stn_summary *summary;
	FILE *out;
	struct stn_tally total, columns[MOST_COLUMNS];
	uint32_t column_count;
	const char *what; /* what a column is for: cluster or node */
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
		summary->begun, summary->begun == 1 ? "" : "s",
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
print_value(const struct stn_tally_row *row, const struct stn_tally *tally,
	    int width, FILE *out)
{
	uint64_t value = stn_tally_get(row, tally);

	if (stn_tally_is_time(row))
		fprintf(out, " %*.3f", width, (double)value * 1e-9);
	else
		fprintf(out, " %*" PRIu64, width, value);
}

static void
print_rate(const struct table *table, const struct stn_tally_row *row)
{
	uint64_t value = stn_tally_get(row, &table->total);
	uint64_t time = stn_counts_time(&table->total.core);

	if (stn_tally_is_time(row))
		fprintf(table->out, " %8.1f %%", 100 * stn_ratio(value, time));
	else
		fprintf(table->out, " %10.0f",
			1e9 * stn_ratio(value, table->summary->run_ns));
}

static void
print_row(const struct table *table, const struct stn_tally_row *row)
{
	fprintf(table->out, "%-33s", row->count->text);
	print_value(row, &table->total, 12, table->out);
	print_rate(table, row);
	for (uint32_t i = 0; i < table->column_count; i++)
		print_value(row, &table->columns[i], 10, table->out);
	fputc('\n', table->out);
}

static void
print_rows(const struct table *table)
{
	const struct stn_tally_layout *layout = table->summary->layout;
	bool shown = false;

	for (size_t i = 0; i < layout->row_count; i++) {
		const struct stn_tally_row *row = &layout->rows[i];

		if (*row->count->text != ' ')
			shown = stn_tally_get(row, &table->total);
		if (shown)
			print_row(table, row);
	}
}

static void
print_shares(const struct table *table, const struct stn_tally_row *row)
{
	uint64_t whole = stn_tally_get(row, &table->total);

	if (!whole)
		return;
	fprintf(table->out, "%-33s %12s %10s", row->count->share_text, "", "");
	for (uint32_t i = 0; i < table->column_count; i++) {
		uint64_t part = stn_tally_get(row, &table->columns[i]);

		fprintf(table->out, " %8.1f %%", 100 * stn_ratio(part, whole));
	}
	fputc('\n', table->out);
}

/* On the heap: the stacks of simulated nodes may be small. */
static struct table *
create_table(const struct stn_summary *summary, FILE *out)
{
	struct table *table = calloc(1, sizeof(*table));

	if (!table) {
		fputs("sateen: out of memory for statistics\n", out);
		return NULL;
	}
	table->summary = summary;
	table->out = out;
	table->total = stn_summary_total(summary);
	fill_columns(table);
	return table;
}

void
stn_summary_table(const struct stn_summary *summary, FILE *out)
{
	struct table *table = create_table(summary, out);

	if (!table)
		return;
	print_head(table);
	print_rows(table);
	for (size_t i = 0;
	     table->column_count && i < summary->layout->row_count; i++)
		if (summary->layout->rows[i].count->share)
			print_shares(table, &summary->layout->rows[i]);
	free(table);
}
