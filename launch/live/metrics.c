#include "launch/live/metrics.h"

#include <inttypes.h>
#include <string.h>

#include "node/stats/utf8.h"

/*
 * A word of each node. The rows of one metric stand together, and differ by
 * their labels.
 */
struct row {
	const char *name, *type, *help; /* help NULL: as the row before */
	enum stn_live_word word;
	const char *label; /* further label with its value, or "" */
	bool time;	   /* nanoseconds, shown as seconds */
};

static const struct row rows[] = {
	{ "workers", "gauge", "Workers of the node.", STN_LIVE_WORKERS, "",
	  false },
	{ "worker_seconds_total", "counter",
	  "Time of the workers together, by what they did.",
	  STN_LIVE_WORKING_NS, ",state=\"working\"", true },
	{ "worker_seconds_total", "counter", NULL, STN_LIVE_COMMUNICATING_NS,
	  ",state=\"communicating\"", true },
	{ "worker_seconds_total", "counter", NULL, STN_LIVE_IDLE_NS,
	  ",state=\"idle\"", true },
	{ "steals_total", "counter",
	  "Records that workers have stolen: from the node itself, from its "
	  "cluster, from other clusters.",
	  STN_LIVE_STOLEN_NODE, ",from=\"node\"", false },
	{ "steals_total", "counter", NULL, STN_LIVE_STOLEN_LAN, ",from=\"lan\"",
	  false },
	{ "steals_total", "counter", NULL, STN_LIVE_STOLEN_WAN, ",from=\"wan\"",
	  false },
	{ "steal_requests_total", "counter", "Steal requests sent.",
	  STN_LIVE_ASKED, "", false },
	{ "steal_requests_refused_total", "counter",
	  "Steal requests of the node that were refused.", STN_LIVE_REFUSED, "",
	  false },
	{ "queue_records", "gauge",
	  "Records on the node that wait for a worker or a thief.",
	  STN_LIVE_QUEUE, "", false },
	{ "messages_sent_total", "counter",
	  "Messages sent inside the cluster and to other clusters.",
	  STN_LIVE_SENT_LAN, ",link=\"lan\"", false },
	{ "messages_sent_total", "counter", NULL, STN_LIVE_SENT_WAN,
	  ",link=\"wan\"", false },
	{ "sent_bytes_total", "counter", "Bytes of these messages.",
	  STN_LIVE_SENT_BYTES_LAN, ",link=\"lan\"", false },
	{ "sent_bytes_total", "counter", NULL, STN_LIVE_SENT_BYTES_WAN,
	  ",link=\"wan\"", false },
	{ "bounds", "gauge", "Bounds that the node knows.", STN_LIVE_BOUNDS, "",
	  false },
};

static void
metrics_head(FILE *out, const char *name, const char *type, const char *help)
{
	fprintf(out, "# HELP sateen_%s %s\n# TYPE sateen_%s %s\n", name, help,
		name, type);
}

/* An ASCII character, as Prometheus quotes it. */
static void
write_ascii(FILE *out, char c)
{
	if (c == '\n') {
		fputs("\\n", out);
		return;
	}
	if (c == '"' || c == '\\')
		putc('\\', out);
	putc(c, out);
}

/* Writes a character outside ASCII. Returns the number of its bytes. */
static size_t
write_wide(FILE *out, const char *text)
{
	size_t bytes = stn_utf8(text);
	unsigned char c = (unsigned char)*text;

	if (bytes) {
		fwrite(text, 1, bytes, out);
		return bytes;
	}
	fprintf(out, "%c%c", 0xc0 | c >> 6, 0x80 | (c & 0x3f));
	return 1;
}

/*
 * The value of a label. The page must be UTF-8: bytes that are not are taken as
 * Latin-1.
 */
static void
write_quoted(FILE *out, const char *text)
{
	putc('"', out);
	while (*text)
		if (*text & 0x80) {
			text += write_wide(out, text);
		} else {
			write_ascii(out, *text++);
		}
	putc('"', out);
}

/* Has the node stored its words yet? */
static bool
metrics_seen(const struct stn_metrics_node *node)
{
	return stn_live_get(node->live, STN_LIVE_STORES);
}

static void
write_labels(FILE *out, const struct stn_metrics_node *node, const char *more)
{
	fprintf(out, "{node=\"%" PRIu64 "\",cluster=\"%" PRIu64 "\"%s} ",
		stn_live_get(node->live, STN_LIVE_RANK),
		stn_live_get(node->live, STN_LIVE_CLUSTER), more);
}

/*
 * A node that has died keeps its counts, but has no workers and no records any
 * more.
 */
static void
write_row(const struct stn_metrics *metrics, const struct row *row, FILE *out)
{
	bool is_gauge = !strcmp(row->type, "gauge");

	if (row->help)
		metrics_head(out, row->name, row->type, row->help);
	for (uint32_t i = 0; i < metrics->count; i++) {
		const struct stn_metrics_node *node = &metrics->nodes[i];
		uint64_t value = stn_live_get(node->live, row->word);

		if (!metrics_seen(node) || (is_gauge && !node->lives))
			continue;
		fprintf(out, "sateen_%s", row->name);
		write_labels(out, node, row->label);
		if (row->time)
			fprintf(out, "%.6f\n", (double)value * 1e-9);
		else
			fprintf(out, "%" PRIu64 "\n", value);
	}
}

/* A node counts as up from the first time that it stores its words. */
static void
write_up(const struct stn_metrics *metrics, FILE *out)
{
	metrics_head(out, "node_up", "gauge",
		     "1: the node lives; 0: it has died or left.");
	for (uint32_t i = 0; i < metrics->count; i++) {
		const struct stn_metrics_node *node = &metrics->nodes[i];

		if (!metrics_seen(node))
			continue;
		fputs("sateen_node_up", out);
		write_labels(out, node, "");
		fprintf(out, "%d\n", node->lives);
	}
}

static void
write_bounds(const struct stn_metrics *metrics, FILE *out)
{
	metrics_head(
		out, "bound_value", "gauge",
		"Value of the solution that the node has learned of last.");
	for (uint32_t i = 0; i < metrics->count; i++) {
		const struct stn_metrics_node *node = &metrics->nodes[i];

		if (!node->lives ||
		    !stn_live_get(node->live, STN_LIVE_BOUND_FOUND))
			continue;
		fputs("sateen_bound_value", out);
		write_labels(out, node, "");
		fprintf(out, "%" PRId64 "\n",
			(int64_t)stn_live_get(node->live,
					      STN_LIVE_BOUND_VALUE));
	}
}

static void
write_number(FILE *out, const char *name, const char *type, const char *help,
	     double value)
{
	metrics_head(out, name, type, help);
	fprintf(out, "sateen_%s %.15g\n", name, value);
}

static void
metrics_run(const struct stn_metrics *metrics, FILE *out)
{
	uint32_t living = 0;

	for (uint32_t i = 0; i < metrics->count; i++)
		living += metrics->nodes[i].lives;
	metrics_head(out, "info", "gauge", "The run; its value is 1.");
	fputs("sateen_info{program=", out);
	write_quoted(out, metrics->program);
	fputs(",balancer=", out);
	write_quoted(out, metrics->balancer);
	fputs("} 1\n", out);
	write_number(out, "run_seconds", "gauge",
		     "Time since the start of the run.", metrics->seconds);
	write_number(out, "nodes", "gauge", "Nodes that live.", living);
	write_number(out, "clusters", "gauge", "Clusters of the run.",
		     (double)metrics->topology->clusters);
	write_number(out, "deaths_total", "counter", "Nodes that have died.",
		     (double)metrics->deaths);
	write_number(out, "left_total", "counter",
		     "Nodes that have left the run.", (double)metrics->left);
	write_number(out, "joined_total", "counter",
		     "Nodes that have joined the run.",
		     (double)metrics->joined);
}

static void
write_cluster_names(const struct stn_topology *topology, FILE *out)
{
	if (!topology->name_count)
		return;
	metrics_head(out, "cluster_info", "gauge",
		     "A cluster that has a name; its value is 1.");
	for (uint32_t i = 0; i < topology->name_count; i++) {
		const char *name = stn_topology_name(topology, i);

		if (!name)
			continue;
		fprintf(out, "sateen_cluster_info{cluster=\"%" PRIu32 "\",name=",
			i);
		write_quoted(out, name);
		fputs("} 1\n", out);
	}
}

static void
write_progress(const struct stn_meter *meter, FILE *out)
{
	if (!meter->known)
		return;
	write_number(out, "progress_done", "gauge",
		     "Units of work that the program has done.",
		     (double)meter->done);
	write_number(out, "progress_known", "gauge",
		     "Units of work that the run has, as far as is known.",
		     (double)meter->known);
	if (stn_meter_left(meter) >= 0)
		write_number(out, "progress_left_seconds", "gauge",
			     "Estimated time until all units are done.",
			     stn_meter_left(meter));
}

void
stn_metrics_write(const struct stn_metrics *metrics, FILE *out)
{
	metrics_run(metrics, out);
	write_cluster_names(metrics->topology, out);
	write_progress(metrics->meter, out);
	write_up(metrics, out);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		write_row(metrics, &rows[i], out);
	write_bounds(metrics, out);
}
