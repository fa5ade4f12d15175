#include "apps/sateen/report/page.h"

#include <inttypes.h>
#include <stdlib.h>

#include "apps/sateen/report/advice.h"
#include "apps/sateen/report/chart.h"
#include "apps/sateen/xml.h"

#define MATRIX_MOST 24	/* nodes; larger runs: a matrix of clusters */
#define LINKS_MOST 1024 /* rows */
#define ROW_HEIGHT 18
#define TALL 120

static const char style[] =
	":root{color-scheme:light dark;--text:#1a1f24;--paper:#fff;"
	"--faint:#667;--line:#d9dde2;--works:#1f8a70;--waits:#e8a33d;"
	"--idle:#e9ecef}\n"
	"@media(prefers-color-scheme:dark){:root{--text:#e6e8ea;"
	"--paper:#14181c;--faint:#9aa4ad;--line:#323a42;--works:#35b796;"
	"--waits:#e8a33d;--idle:#272e35}}\n"
	"body{font:15px/1.5 system-ui,sans-serif;color:var(--text);"
	"background:var(--paper);max-width:62rem;margin:2rem auto;"
	"padding:0 1rem}\n"
	"h1{font-size:1.5rem;margin:0}h2{font-size:1.1rem;margin:2rem 0 .5rem}"
	"code{font-family:ui-monospace,monospace}\n"
	"p{margin:.4rem 0}.faint{color:var(--faint)}\n"
	"table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
	"td,th{padding:.15rem .6rem;text-align:right;"
	"border-bottom:1px solid var(--line)}"
	"th:first-child,td:first-child{text-align:left;padding-left:0}\n"
	".rows td{border:0;padding:0 .6rem 1px 0;white-space:nowrap;"
	"font-size:.8rem;line-height:1}.rows{width:100%}"
	".rows td:last-child{width:100%}\n"
	".axis{display:flex;justify-content:space-between;font-size:.8rem}\n"
	"svg{display:block}.use{width:100%}.bar{width:12rem;height:.8rem}\n"
	".works{fill:var(--works)}.waits{fill:var(--waits)}"
	".idle{fill:var(--idle)}\n"
	".key i{display:inline-block;width:.8em;height:.8em;"
	"margin:0 .3em 0 1em}.scroll{overflow-x:auto}\n";

static void
write_percent(double part, double all, FILE *out)
{
	fprintf(out, "%.1f %%", all > 0 ? 100 * part / all : 0);
}

static double
main_s(const struct run *run)
{
	return (double)(run->end_ns - run->begin_ns) * 1e-9;
}

static void
write_seconds(double seconds, FILE *out)
{
	fprintf(out, "%.6f s", seconds);
}

/* What the trace does not have. */
static void
write_missing(const struct run *run, FILE *out)
{
	if (run->interrupted)
		fputs("<p>The run was interrupted; calls that ran then, and "
		      "waits, are not shown.</p>\n",
		      out);
	if (run->deaths)
		fputs("<p>Nodes died in this run; what they did is not "
		      "shown.</p>\n",
		      out);
	if (run->leaves)
		fputs("<p>Nodes left this run; what they did is not "
		      "shown.</p>\n",
		      out);
	if (run->lost_events)
		fprintf(out,
			"<p><b>The trace lacks the %" PRIu64 " oldest events, "
			"so that the beginning of the run is missing here. "
			"Raise --trace-memory.</b></p>\n",
			run->lost_events);
}

/* Work and span of the tasks, if they were measured. */
static void
write_graph(const struct run *run, FILE *out)
{
	if (!run->span_ns)
		return;
	fputs("<p>The tasks' work is <b id=\"work\">", out);
	write_seconds((double)run->work_ns * 1e-9, out);
	fputs("</b>, and their span, the longest chain of code of which each "
	      "part must wait for the one before, is <b id=\"span\">",
	      out);
	write_seconds((double)run->span_ns * 1e-9, out);
	fprintf(out,
		"</b>: a parallelism of <b id=\"parallelism\">%.1f</b>. No "
		"run with P workers is faster than this work on one worker by "
		"more than the smaller of P and the parallelism.</p>\n",
		run_parallelism(run));
}

static void
write_head(const struct run *run, const struct profile *profile, FILE *out)
{
	fputs("<h1><code>", out);
	xml_text(run->command ? run->command : "a run", out);
	fprintf(out,
		"</code></h1>\n<p>%" PRIu32 " nodes in %" PRIu32
		" clusters, balancer ",
		run->begun, run->cluster_count);
	xml_text(run->balancer ? run->balancer : "unknown", out);
	fprintf(out, "%s: main took <b id=\"time\">",
		run->simulated ? ", simulated" : "");
	write_seconds(main_s(run), out);
	fputs("</b>. The workers worked in <b id=\"works\">", out);
	write_percent(profile->all.works, profile->all.all, out);
	fputs("</b> of that time.</p>\n", out);
	write_graph(run, out);
	write_missing(run, out);
}

static void
say_advice(void *out, const char *text)
{
	fputs("<li>", out);
	xml_text(text, out);
	fputs("</li>\n", out);
}

static void
write_advice(const struct run *run, const struct profile *profile, FILE *out)
{
	fputs("<h2>Advice</h2>\n<ul id=\"advice\">\n", out);
	advice_write(run, profile, say_advice, out);
	fputs("</ul>\n", out);
}

static void
write_key(FILE *out)
{
	fputs("<p class=\"key faint\">Share of the workers' time: "
	      "<i style=\"background:var(--works)\"></i>working"
	      "<i style=\"background:var(--waits)\"></i>waiting in a sync or "
	      "for an array"
	      "<i style=\"background:var(--idle)\"></i>idle. From left to "
	      "right: the time of main.</p>\n",
	      out);
}

static void
write_row(const struct shares bins[BINS], const char *what, uint32_t number,
	  FILE *out)
{
	char name[40];

	snprintf(name, sizeof(name), "%s %" PRIu32, what, number);
	fprintf(out, "<tr><td>%s</td><td>", name);
	chart_use(bins, ROW_HEIGHT, name, out);
	fputs("</td></tr>\n", out);
}

static uint32_t
cluster_rows(const struct run *run)
{
	return run->cluster_count < ROWS_MOST ? run->cluster_count : ROWS_MOST;
}

/* Says that a table has only the first @shown rows, if it has not all. */
static void
write_cut(uint32_t shown, uint32_t all, const char *what, FILE *out)
{
	if (shown < all)
		fprintf(out,
			"<p class=\"faint\">The first %" PRIu32 " of %" PRIu32
			" %s.</p>\n",
			shown, all, what);
}

static void
write_rows(const struct run *run, const struct profile *profile, FILE *out)
{
	uint32_t clusters = cluster_rows(run);

	fputs("<table class=\"rows\">\n", out);
	for (uint32_t i = 0; !profile->node_bins && i < clusters; i++)
		write_row(profile->cluster_bins[i], "cluster", i, out);
	for (uint32_t i = 0; profile->node_bins && i < run->node_count; i++)
		if (run->nodes[i].there)
			write_row(profile->node_bins[i], "node", i, out);
	fputs("</table>\n", out);
	if (!profile->node_bins)
		write_cut(clusters, run->cluster_count, "clusters", out);
}

static void
write_share_row(const struct shares *shares, const char *what,
		const char *number, FILE *out)
{
	double idle = shares->all - shares->works - shares->waits;

	fprintf(out, "<tr><td>%s%s</td><td>", what, number);
	write_percent(shares->works, shares->all, out);
	fputs("</td><td>", out);
	write_percent(shares->waits, shares->all, out);
	fputs("</td><td>", out);
	write_percent(idle > 0 ? idle : 0, shares->all, out);
	fputs("</td><td>", out);
	write_percent(shares->asks_near, shares->all, out);
	fputs("</td><td>", out);
	write_percent(shares->asks_wide, shares->all, out);
	fputs("</td><td>", out);
	chart_bar(shares, out);
	fputs("</td></tr>\n", out);
}

static void
write_lost(const struct run *run, const struct profile *profile, FILE *out)
{
	char number[16];

	fputs("<h2>Where the time went</h2>\n<div class=\"scroll\"><table "
	      "id=\"lost\"><tr><th></th><th>working</th><th>waiting</th>"
	      "<th>idle</th><th>asking near</th><th>asking far</th><th></th>"
	      "</tr>\n",
	      out);
	for (uint32_t i = 0; i < cluster_rows(run); i++) {
		snprintf(number, sizeof(number), "%" PRIu32, i);
		write_share_row(&profile->clusters[i], "cluster ", number, out);
	}
	write_share_row(&profile->all, "all", "", out);
	fputs("</table></div>\n", out);
	write_cut(cluster_rows(run), run->cluster_count, "clusters", out);
	fputs("<p class=\"faint\"><i>Asking</i>: the part of "
	      "the time without work (waiting, or idle) in which a steal "
	      "request was out to the same cluster (near), or to another one "
	      "(far).</p>\n",
	      out);
}

/*
 * Counts of steal requests by thief and victim: nodes, or clusters if there are
 * many nodes.
 */
struct matrix {
	uint32_t size;
	uint64_t *granted, *asked; /* [thief * size + victim] */
	uint64_t most;
};

static uint32_t
place(const struct run *run, uint32_t rank)
{
	const struct node *node = &run->nodes[rank];

	return run->begun <= MATRIX_MOST ? node->number : node->cluster;
}

/* The number of a row or column for people: the rank, or the cluster. */
static uint32_t
place_name(const struct run *run, uint32_t at)
{
	uint32_t rank = 0;

	while (run->begun <= MATRIX_MOST && rank + 1 < run->node_count &&
	       run->nodes[rank + 1].number <= at)
		rank++;
	return run->begun <= MATRIX_MOST ? rank : at;
}

/* @matrix has its size. */
static bool
fill_matrix(const struct run *run, struct matrix *matrix)
{
	size_t cells = (size_t)matrix->size * matrix->size;

	matrix->granted = calloc(cells, sizeof(matrix->granted[0]));
	matrix->asked = calloc(cells, sizeof(matrix->asked[0]));
	if (!matrix->granted || !matrix->asked)
		return false;
	for (uint32_t i = 0; i < run->node_count; i++)
		for (uint32_t j = 0; j < run->nodes[i].steal_count; j++) {
			const struct steal *steal = &run->nodes[i].steals[j];
			size_t cell;

			if (steal->victim >= run->node_count ||
			    place(run, i) >= matrix->size ||
			    place(run, steal->victim) >= matrix->size)
				continue;
			cell = (size_t)place(run, i) * matrix->size +
			       place(run, steal->victim);
			matrix->asked[cell]++;
			matrix->granted[cell] += steal->granted;
			if (matrix->granted[cell] > matrix->most)
				matrix->most = matrix->granted[cell];
		}
	return true;
}

static void
write_cell(const struct matrix *matrix, size_t cell, FILE *out)
{
	uint64_t granted = matrix->granted[cell];
	unsigned shade =
		matrix->most ? (unsigned)(60 * granted / matrix->most) : 0;

	fprintf(out,
		"<td title=\"%" PRIu64 " of %" PRIu64 " requests\" "
		"style=\"background:color-mix(in srgb,var(--works) %u%%,"
		"transparent)\">",
		granted, matrix->asked[cell], shade);
	if (matrix->asked[cell])
		fprintf(out, "%" PRIu64, granted);
	fputs("</td>", out);
}

static void
write_matrix(const struct run *run, const struct matrix *matrix, FILE *out)
{
	fprintf(out,
		"<h2>Steals</h2>\n<p class=\"faint\">Rows: the thief's %s; "
		"columns: the victim's. The number of records that were "
		"stolen.</p>\n<div class=\"scroll\"><table id=\"steals\">"
		"<tr><th></th>",
		run->begun <= MATRIX_MOST ? "node" : "cluster");
	for (uint32_t i = 0; i < matrix->size; i++)
		fprintf(out, "<th>%" PRIu32 "</th>", place_name(run, i));
	fputs("</tr>\n", out);
	for (uint32_t i = 0; i < matrix->size; i++) {
		fprintf(out, "<tr><td>%" PRIu32 "</td>", place_name(run, i));
		for (uint32_t j = 0; j < matrix->size; j++)
			write_cell(matrix, (size_t)i * matrix->size + j, out);
		fputs("</tr>\n", out);
	}
	fputs("</table></div>\n", out);
}

static void
write_steals(const struct run *run, FILE *out)
{
	struct matrix matrix = {
		.size = run->begun <= MATRIX_MOST ? run->begun
						  : run->cluster_count,
	};

	if (matrix.size > ROWS_MOST || run->begun < 2)
		return;
	if (fill_matrix(run, &matrix))
		write_matrix(run, &matrix, out);
	free(matrix.granted);
	free(matrix.asked);
}

static void
write_link(const struct run *run, uint32_t from, uint32_t to, FILE *out)
{
	const struct link *link =
		&run->links[(size_t)from * run->cluster_count + to];
	/* Messages are sent before main and after it, too. */
	double seconds = (double)run->last_ns * 1e-9;

	fprintf(out,
		"<tr><td>%" PRIu32 "</td><td>%" PRIu32 "</td><td>%" PRIu64
		"</td><td>%" PRIu64 "</td><td>%.0f</td></tr>\n",
		from, to, link->messages, link->bytes,
		seconds > 0 ? (double)link->bytes / seconds * 1e-3 : 0);
}

static void
write_links(const struct run *run, FILE *out)
{
	uint32_t count = 0;

	if (!run->links)
		return;
	fputs("<h2>Messages between clusters</h2>\n<div class=\"scroll\">"
	      "<table id=\"links\"><tr><th>from</th><th>to</th><th>messages"
	      "</th><th>bytes</th><th>KB/s</th></tr>\n",
	      out);
	for (uint32_t i = 0; i < run->cluster_count; i++)
		for (uint32_t j = 0; j < run->cluster_count; j++) {
			if (!run->links[(size_t)i * run->cluster_count + j]
				     .messages)
				continue;
			if (count++ < LINKS_MOST)
				write_link(run, i, j, out);
		}
	fputs("</table></div>\n", out);
	write_cut(LINKS_MOST, count, "pairs of clusters", out);
}

/* The beginning, the middle and the end of main. */
static void
write_axis(const struct run *run, FILE *out)
{
	fputs("<div class=\"axis faint\"><span>0</span><span>", out);
	write_seconds(main_s(run) / 2, out);
	fputs("</span><span>", out);
	write_seconds(main_s(run), out);
	fputs("</span></div>\n", out);
}

void
page_write(const struct run *run, const struct profile *profile, FILE *out)
{
	fprintf(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta "
		     "charset=\"utf-8\">\n<meta name=\"viewport\" "
		     "content=\"width=device-width\">\n<title>");
	xml_text(run->command ? run->command : "Sateen", out);
	fprintf(out, "</title>\n<style>\n%s</style></head>\n<body>\n", style);
	write_head(run, profile, out);
	write_advice(run, profile, out);
	fputs("<h2>All workers</h2>\n", out);
	write_key(out);
	chart_use(profile->bins, TALL, "all workers", out);
	write_axis(run, out);
	fprintf(out, "<h2>Each %s</h2>\n",
		run->begun > ROWS_MOST ? "cluster" : "node");
	write_rows(run, profile, out);
	write_lost(run, profile, out);
	write_steals(run, out);
	write_links(run, out);
	fputs("<p class=\"faint\">The timeline with all events: open the trace "
	      "at ui.perfetto.dev.</p>\n</body></html>\n",
	      out);
}
