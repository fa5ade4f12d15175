/*
 * summary_json.c: statistics as JSON. man/sateen-stats.5 describes it; what
 * is renamed there, or goes, makes a new STN_SUMMARY_SCHEMA.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "steal/stats/json.h"
#include "steal/stats/summary.h"
#include "steal/wire.h"

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
	stn_json_real(json, "seconds", (double)summary->run_ns * 1e-9);
	stn_json_close(json, '}');
}

static void
write_mails(struct stn_json *json, const char *name,
	    const struct stn_mail mails[2][STN_STATS_KINDS])
{
	stn_json_open(json, name, '{');
	for (unsigned kind = 0; kind < STN_STATS_KINDS; kind++) {
		if (!stn_kind_name(kind))
			continue;
		stn_json_open(json, stn_kind_name(kind), '{');
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
	     const struct stn_stats *stats)
{
	stn_json_open(json, name, '{');
	for (const struct stn_count *count = stn_counts; count->name; count++)
		stn_json_integer(json, count->name,
				 stn_count_get(count, stats));
	write_mails(json, "sent", stats->sent);
	write_mails(json, "received", stats->received);
	stn_json_close(json, '}');
}

static void
write_rates(struct stn_json *json, const struct stn_stats *total,
	    uint64_t run_ns)
{
	stn_json_open(json, "per_second", '{');
	for (const struct stn_count *count = stn_counts; count->name; count++)
		if (!stn_count_is_time(count))
			stn_json_real(
				json, count->name,
				1e9 * stn_share(stn_count_get(count, total),
						run_ns));
	stn_json_close(json, '}');
}

static void
write_clusters(struct stn_json *json, const struct stn_summary *summary,
	       const struct stn_stats *total)
{
	stn_json_open(json, "clusters", '[');
	for (uint32_t i = 0; i < summary->topology->clusters; i++) {
		struct stn_stats sum = stn_summary_cluster(summary, i);

		stn_json_open(json, NULL, '{');
		stn_json_integer(json, "nodes",
				 stn_cluster_size(summary->topology, i));
		stn_json_real(json, "share_executed",
			      stn_share(sum.executed, total->executed));
		stn_json_real(json, "share_working",
			      stn_share(sum.working_ns, total->working_ns));
		write_counts(json, "counts", &sum);
		stn_json_close(json, '}');
	}
	stn_json_close(json, ']');
}

static void
write_nodes(struct stn_json *json, const struct stn_summary *summary)
{
	stn_json_open(json, "nodes", '[');
	for (uint32_t i = 0; i < summary->topology->nodes; i++) {
		stn_json_open(json, NULL, '{');
		stn_json_integer(json, "cluster",
				 stn_cluster_of(summary->topology, i));
		write_counts(json, "counts", &summary->nodes[i]);
		stn_json_close(json, '}');
	}
	stn_json_close(json, ']');
}

static void
write_sums(struct stn_json *json, const struct stn_stats *total)
{
	struct stn_sum sums[STN_SUMS];

	stn_json_open(json, "sums", '{');
	stn_json_bool(json, "hold", stn_stats_sums(total, sums));
	for (int i = 0; i < STN_SUMS; i++) {
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
	const struct stn_stats total = stn_summary_total(summary);
	struct stn_json json = { .out = out };

	stn_json_open(&json, NULL, '{');
	stn_json_text(&json, "schema", STN_SUMMARY_SCHEMA);
	stn_json_text(&json, "sateen", PACKAGE_VERSION);
	stn_json_bool(&json, "interrupted", summary->interrupted);
	write_run(&json, summary);
	if (!summary->interrupted)
		write_sums(&json, &total);
	write_counts(&json, "total", &total);
	write_rates(&json, &total, summary->run_ns);
	write_clusters(&json, summary, &total);
	write_nodes(&json, summary);
	stn_json_close(&json, '}');
}
