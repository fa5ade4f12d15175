/*
 * summary_json.c: writes statistics as JSON, as man/sateen-stats.5 describes.
 * If a member is renamed or removed, STN_SUMMARY_SCHEMA must change.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "node/stats/json.h"
#include "node/stats/summary_show.h"

static void
write_run(struct stn_json *json, const struct stn_summary *summary)
{
	const struct stn_topology *topology = summary->topology;
	const struct stn_config *config = summary->config;

	stn_json_open(json, "run", '{');
	stn_json_open(json, "command", '[');
	for (int i = 0; i < summary->argc; i++)
		stn_json_text(json, NULL, summary->argv[i]);
	stn_json_close(json, ']');
	stn_json_integer(json, "nodes", topology->nodes);
	stn_json_integer(json, "clusters", topology->clusters);
	stn_json_open(json, "cluster_sizes", '[');
	for (uint32_t i = 0; i < topology->clusters; i++)
		stn_json_integer(json, NULL, stn_cluster_size(topology, i));
	stn_json_close(json, ']');
	stn_json_integer(json, "workers", summary->workers);
	stn_json_text(json, "balancer", config->balancer);
	stn_json_text(json, "transport", stn_config_transport(config));
	stn_json_text(json, "provider", config->provider);
	stn_json_text(json, "device", config->device);
	stn_json_integer(json, "wan_latency_ns", topology->wan.latency_ns);
	stn_json_integer(json, "wan_bytes_per_s", topology->wan.bytes_per_s);
	stn_json_integer(json, "wan_jitter_ns", topology->wan.jitter_ns);
	stn_json_real(json, "wan_loss_percent",
		      (double)topology->wan.loss_ppm * 1e-4);
	stn_json_real(json, "seconds", (double)summary->run_ns * 1e-9);
	stn_json_close(json, '}');
}

static void
write_mails(struct stn_json *json, const char *name,
	    const struct stn_service *const *services,
	    const struct stn_mail mails[2][STN_KINDS_MOST])
{
	stn_json_open(json, name, '{');
	for (unsigned kind = 0; kind < STN_KINDS_MOST; kind++) {
		const char *kind_name = stn_kind_name(services, kind);

		if (!kind_name)
			continue;
		stn_json_open(json, kind_name, '{');
		stn_json_integer(json, "lan_messages", mails[0][kind].messages);
		stn_json_integer(json, "lan_bytes", mails[0][kind].bytes);
		stn_json_integer(json, "wan_messages", mails[1][kind].messages);
		stn_json_integer(json, "wan_bytes", mails[1][kind].bytes);
		stn_json_close(json, '}');
	}
	stn_json_close(json, '}');
}

static void
write_counts(struct stn_json *json, const char *name,
	     const struct stn_tally_layout *layout,
	     const struct stn_tally *tally)
{
	stn_json_open(json, name, '{');
	for (size_t i = 0; i < layout->row_count; i++)
		stn_json_integer(json, layout->rows[i].count->name,
				 stn_tally_get(&layout->rows[i], tally));
	write_mails(json, "sent", layout->services, tally->core.sent);
	write_mails(json, "received", layout->services, tally->core.received);
	stn_json_close(json, '}');
}

static void
write_rates(struct stn_json *json, const struct stn_summary *summary,
	    const struct stn_tally *total)
{
	const struct stn_tally_layout *layout = summary->layout;

	stn_json_open(json, "per_second", '{');
	for (size_t i = 0; i < layout->row_count; i++) {
		const struct stn_tally_row *row = &layout->rows[i];

		if (!stn_tally_is_time(row))
			stn_json_real(json, row->count->name,
				      1e9 * stn_ratio(stn_tally_get(row, total),
						      summary->run_ns));
	}
	stn_json_close(json, '}');
}

static void
write_shares(struct stn_json *json, const struct stn_tally_layout *layout,
	     const struct stn_tally *part, const struct stn_tally *whole)
{
	for (size_t i = 0; i < layout->row_count; i++) {
		const struct stn_tally_row *row = &layout->rows[i];

		if (row->count->share)
			stn_json_real(json, row->count->share,
				      stn_ratio(stn_tally_get(row, part),
						stn_tally_get(row, whole)));
	}
}

static void
write_clusters(struct stn_json *json, const struct stn_summary *summary,
	       const struct stn_tally *total)
{
	stn_json_open(json, "clusters", '[');
	for (uint32_t i = 0; i < summary->topology->clusters; i++) {
		struct stn_tally sum = stn_summary_cluster(summary, i);

		stn_json_open(json, NULL, '{');
		stn_json_integer(json, "nodes",
				 stn_cluster_size(summary->topology, i));
		write_shares(json, summary->layout, &sum, total);
		write_counts(json, "counts", summary->layout, &sum);
		stn_json_close(json, '}');
	}
	stn_json_close(json, ']');
}

static void
write_nodes(struct stn_json *json, const struct stn_summary *summary)
{
	stn_json_open(json, "nodes", '[');
	for (uint32_t i = 0; i < summary->topology->nodes; i++) {
		struct stn_tally tally = { .words = { 0 } };

		stn_tally_add(&tally, summary->nodes[i]);
		stn_json_open(json, NULL, '{');
		stn_json_integer(json, "cluster",
				 stn_cluster_of(summary->topology, i));
		write_counts(json, "counts", summary->layout, &tally);
		stn_json_close(json, '}');
	}
	stn_json_close(json, ']');
}

static void
write_sums(struct stn_json *json, const struct stn_summary *summary,
	   const struct stn_tally *total)
{
	struct stn_sum sums[STN_SUMS_MOST];
	bool hold;
	size_t count = stn_tally_sums(summary->layout, total,
				      summary->complete, sums, &hold);

	stn_json_open(json, "sums", '{');
	stn_json_bool(json, "hold", hold);
	for (size_t i = 0; i < count; i++) {
		stn_json_open(json, sums[i].name, '{');
		stn_json_integer(json, sums[i].left_name, sums[i].left);
		stn_json_integer(json, sums[i].right_name, sums[i].right);
		stn_json_close(json, '}');
	}
	stn_json_close(json, '}');
}

void
stn_summary_json(const struct stn_summary *summary, FILE *out)
{
	const struct stn_tally total = stn_summary_total(summary);
	struct stn_json json = { .out = out };

	stn_json_open(&json, NULL, '{');
	stn_json_text(&json, "schema", STN_SUMMARY_SCHEMA);
	stn_json_text(&json, "sateen", PACKAGE_VERSION);
	stn_json_bool(&json, "interrupted", summary->interrupted);
	write_run(&json, summary);
	if (!summary->interrupted)
		write_sums(&json, summary, &total);
	write_counts(&json, "total", summary->layout, &total);
	write_rates(&json, summary, &total);
	write_clusters(&json, summary, &total);
	write_nodes(&json, summary);
	stn_json_close(&json, '}');
}
