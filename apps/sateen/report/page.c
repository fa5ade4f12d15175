#include "apps/sateen/report/page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "apps/sateen/report/advice.h"
#include "apps/sateen/report/chart.h"
#include "apps/sateen/report/links.h"
#include "apps/sateen/report/tables.h"
#include "apps/sateen/xml.h"

#define GONE_MOST 16 /* nodes that a line names */
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
	"td,th{padding:.15rem .6rem;text-align:right;white-space:nowrap;"
	"border-bottom:1px solid var(--line)}"
	"th:first-child,td:first-child{text-align:left;padding-left:0}\n"
	".rows td{border:0;padding:0 .6rem 1px 0;text-align:left;"
	"font-size:.8rem;line-height:1}.rows{width:100%}"
	".rows td:last-child{width:100%;padding-right:0}"
	".rows .new td{padding-top:.4rem}\n"
	".axis{display:flex;justify-content:space-between;font-size:.8rem}\n"
	"svg{display:block}.use{width:100%}.bar{width:12rem;height:.8rem}\n"
	".works{fill:var(--works)}.waits{fill:var(--waits)}"
	".idle{fill:var(--idle)}\n"
	".key span,li code{white-space:nowrap}.key span{margin-right:1em}"
	".key i{display:inline-block;width:.8em;height:.8em;"
	"margin-right:.3em}.scroll{overflow-x:auto}\n"
	"summary{cursor:pointer;margin:.6rem 0}\n";

/* A cluster whose nodes all died has no time. */
static void
write_percent(double part, double all, FILE *out)
{
	if (all > 0)
		fprintf(out, "%.1f %%", 100 * part / all);
	else
		fputs("–", out);
}

static void
write_count(uint32_t count, const char *what, FILE *out)
{
	fprintf(out, "%" PRIu32 " %s%s", count, what, count == 1 ? "" : "s");
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

/* Nodes that died, or that left, and when, in the time of main. */
static void
write_gone(const struct run *run, bool died, FILE *out)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < run->node_count; i++) {
		const struct node *node = &run->nodes[i];
		uint64_t at_ns = died ? node->died_ns : node->left_ns;

		if (!at_ns)
			continue;
		if (!count)
			fprintf(out, "<p>Nodes that %s",
				died ? "died" : "left");
		if (count < GONE_MOST)
			fprintf(out, "%s %" PRIu32 " after %.3f s",
				count ? "," : ":", i,
				((double)at_ns - (double)run->begin_ns) * 1e-9);
		count++;
	}
	if (count > GONE_MOST)
		fprintf(out, ", and %" PRIu32 " more", count - GONE_MOST);
	if (count)
		fputs(". The page does not show what they did.</p>\n", out);
}

/* What the trace does not have. */
static void
write_missing(const struct run *run, FILE *out)
{
	if (run->interrupted)
		fputs("<p>The run was interrupted; calls that ran then, and "
		      "waits, are not shown.</p>\n",
		      out);
	if (run->clock_error_ns)
		fprintf(out,
			"<p>The clocks of the hosts were compared: the times "
			"of two hosts differ by at most %.1f us.</p>\n",
			2 * (double)run->clock_error_ns * 1e-3);
	write_gone(run, true, out);
	write_gone(run, false, out);
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
	fputs("<p>The work of all tasks is <b id=\"work\">", out);
	write_seconds((double)run->work_ns * 1e-9, out);
	fputs("</b>. The span, the time of the longest chain of code in which "
	      "each part needs the result of the part before it, is "
	      "<b id=\"span\">",
	      out);
	write_seconds((double)run->span_ns * 1e-9, out);
	fprintf(out,
		"</b>. So with any number of workers the program is at most "
		"<b id=\"parallelism\">%.1f</b> times as fast as with one: "
		"that is its parallelism.</p>\n",
		run_parallelism(run));
}

static void
write_head(const struct run *run, const struct profile *profile, FILE *out)
{
	fputs("<h1><code>", out);
	xml_text(run->command ? run->command : "a run", out);
	fputs("</code></h1>\n<p>", out);
	write_count(run->begun, "node", out);
	fputs(" in ", out);
	write_count(run->cluster_count, "cluster", out);
	fputs(", balancer ", out);
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

/* An option in the text is code, which a browser must not break at a hyphen. */
static void
say_advice(void *out, const char *text)
{
	const char *option = strstr(text, " --");
	char part[ADVICE_ROOM];
	int length;

	fputs("<li>", out);
	if (option) {
		option++;
		length = (int)strcspn(option, " ,:.");
		snprintf(part, sizeof(part), "%.*s", (int)(option - text), text);
		xml_text(part, out);
		snprintf(part, sizeof(part), "%.*s", length, option);
		fputs("<code>", out);
		xml_text(part, out);
		fputs("</code>", out);
		text = option + length;
	}
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
	fputs("<p class=\"key faint\">The shares of the workers' time, from "
	      "the beginning of main (left) to its end:<br>"
	      "<span><i style=\"background:var(--works)\"></i>working</span> "
	      "<span><i style=\"background:var(--waits)\"></i>waiting in a "
	      "sync or for an array</span> "
	      "<span><i style=\"background:var(--idle)\"></i>idle</span>"
	      "</p>\n",
	      out);
}

static void
write_row(const struct shares bins[BINS], const char *name, FILE *out)
{
	fputs("<td>", out);
	xml_text(name, out);
	fputs("</td><td>", out);
	chart_use(bins, ROW_HEIGHT, name, out);
	fputs("</td></tr>\n", out);
}

static uint32_t
cluster_rows(const struct run *run)
{
	return run->cluster_count < ROWS_MOST ? run->cluster_count : ROWS_MOST;
}

/* Above the first node of each cluster is a gap; its row names the cluster. */
static void
write_nodes(const struct run *run, const struct profile *profile, FILE *out)
{
	uint32_t cluster = run->cluster_count;
	char room[RUN_CLUSTER_ROOM], name[RUN_CLUSTER_ROOM];

	for (uint32_t i = 0; i < run->node_count; i++) {
		const struct node *node = &run->nodes[i];

		if (!node->there)
			continue;
		if (run->cluster_count == 1)
			fputs("<tr>", out);
		else if (node->cluster == cluster)
			fputs("<tr><td></td>", out);
		else {
			fputs("<tr class=\"new\"><td>", out);
			xml_text(run_cluster(run, node->cluster, "cluster ",
					     room),
				 out);
			fputs("</td>", out);
		}
		cluster = node->cluster;
		snprintf(name, sizeof(name), "node %" PRIu32, i);
		write_row(profile->node_bins[i], name, out);
	}
}

static void
write_rows(const struct run *run, const struct profile *profile, FILE *out)
{
	uint32_t clusters = cluster_rows(run);
	char room[RUN_CLUSTER_ROOM];

	fputs("<table class=\"rows\">\n", out);
	for (uint32_t i = 0; !profile->node_bins && i < clusters; i++) {
		fputs("<tr>", out);
		write_row(profile->cluster_bins[i],
			  run_cluster(run, i, "cluster ", room), out);
	}
	if (profile->node_bins)
		write_nodes(run, profile, out);
	fputs("</table>\n", out);
	if (!profile->node_bins)
		tables_cut(clusters, run->cluster_count, "clusters", out);
}

static void
write_share_row(const struct shares *shares, const char *name, FILE *out)
{
	double idle = shares->all - shares->works - shares->waits;

	fputs("<tr><td>", out);
	xml_text(name, out);
	fputs("</td><td>", out);
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
	char room[RUN_CLUSTER_ROOM];

	fputs("<h2>Where the time went</h2>\n<div class=\"scroll\"><table "
	      "id=\"lost\"><tr><th></th><th>working</th><th>waiting</th>"
	      "<th>idle</th><th>asking near</th><th>asking far</th><th></th>"
	      "</tr>\n",
	      out);
	for (uint32_t i = 0; i < cluster_rows(run); i++)
		write_share_row(&profile->clusters[i],
				run_cluster(run, i, "cluster ", room), out);
	write_share_row(&profile->all, "all", out);
	fputs("</table></div>\n", out);
	tables_cut(cluster_rows(run), run->cluster_count, "clusters", out);
	fputs("<p class=\"faint\"><i>Asking</i>: the part of "
	      "the time without work (waiting, or idle) in which a steal "
	      "request was out to the same cluster (near), or to another one "
	      "(far).</p>\n",
	      out);
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
	tables_steals(run, out);
	links_write(run, out);
	fputs("<p class=\"faint\">The timeline with all events: open the trace "
	      "at ui.perfetto.dev.</p>\n</body></html>\n",
	      out);
}
