/*
 * summary.c: what a run reports of its statistics: the sums that must hold, the
 * table, and the JSON, compared byte by byte.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <string.h>

#include "launch/settings.h"
#include "launch/services.h"
#include "node/stats/summary_show.h"
#include "steal/counts.h"
#include "steal/steal.h"
#include "steal/wire.h"
#include "tests/tap.h"

#define NODES 3

static struct stn_config config;
static const struct stn_topology topology = { .nodes = NODES, .clusters = 2 };
static struct stn_tally nodes[NODES];
static struct stn_tally_packed *packed[NODES];
static struct stn_tally_layout layout;
static char *command[] = { "./fib", "a \"b\"\\\t\xe9" };
static const struct stn_summary summary = {
	.config = &config,
	.topology = &topology,
	.layout = &layout,
	.workers = 1,
	.argc = 2,
	.argv = command,
	.run_ns = 2000000000,
	.nodes = packed,
	.begun = NODES,
	.complete = true,
};

/* What stealing has counted on a node. */
static struct stn_steal_counts *
steals_of(uint32_t rank)
{
	return stn_tally_of(stn_services, &stn_steal_counts_table, &nodes[rank]);
}

/*
 * Node 2 in cluster 1 steals a task of node 0 in cluster 0. Node 1 gets
 * nothing.
 */
static void
make_stats(void)
{
	memset(nodes, 0, sizeof(nodes));
	steals_of(0)->workers.spawned = 4;
	steals_of(0)->executed = steals_of(0)->workers.executed_here = 3;
	steals_of(0)->workers.lent = 1;
	nodes[0].core.received[0][STN_REQUEST] = (struct stn_mail){ 2, 16 };
	nodes[0].core.received[1][STN_REQUEST] = (struct stn_mail){ 1, 8 };
	nodes[0].core.received[1][STN_RESULT] = (struct stn_mail){ 1, 16 };
	nodes[0].core.sent[0][STN_REFUSE] = (struct stn_mail){ 1, 4 };
	nodes[0].core.sent[1][STN_GRANT] = (struct stn_mail){ 1, 28 };
	nodes[0].core.messages_lan = nodes[0].core.messages_wan = 1;
	nodes[0].core.bytes_lan = 4;
	nodes[0].core.bytes_wan = 28;
	steals_of(0)->held = 1;
	nodes[0].core.times.working_ns = 1500000000;
	nodes[0].core.times.idle_ns = 500000000;
	steals_of(0)->overhead_ns = 15000000;
	steals_of(1)->steals[0][0] = (struct stn_steals){ 2, 0, 1, 1 };
	nodes[1].core.sent[0][STN_REQUEST] = (struct stn_mail){ 2, 16 };
	nodes[1].core.messages_lan = 2;
	nodes[1].core.bytes_lan = 16;
	nodes[1].core.times.communicating_ns = 2000000000;
	steals_of(2)->executed = steals_of(2)->workers.executed_elsewhere = 1;
	steals_of(2)->workers.stolen_wan = steals_of(2)->borrowed = 1;
	steals_of(2)->steals[1][1] = (struct stn_steals){ 1, 1, 0, 0 };
	nodes[2].core.sent[1][STN_REQUEST] = (struct stn_mail){ 1, 8 };
	nodes[2].core.sent[1][STN_RESULT] = (struct stn_mail){ 1, 16 };
	steals_of(2)->results_wan = 1;
	nodes[2].core.messages_wan = 2;
	nodes[2].core.bytes_wan = 24;
	nodes[2].core.times.working_ns = 500000000;
	nodes[2].core.times.communicating_ns = 1500000000;
}

static void
pack_stats(void)
{
	for (size_t i = 0; i < NODES; i++) {
		free(packed[i]);
		packed[i] = stn_tally_pack(&nodes[i]);
		if (!packed[i])
			abort();
	}
}

/* The text that one of the functions of summary.h writes; to be freed. */
static char *
text_of(void show(const struct stn_summary *, FILE *))
{
	char *text = NULL;
	size_t bytes;
	FILE *file = open_memstream(&text, &bytes);

	if (!file)
		abort();
	pack_stats();
	show(&summary, file);
	if (fclose(file))
		abort();
	return text;
}

/* Prints the rest of both texts from the first byte that differs. */
static void
expect_text(const char *text, const char *expected, const char *what)
{
	size_t at = 0;

	while (text[at] && text[at] == expected[at])
		at++;
	if (!tap_ok(!strcmp(text, expected), "%s", what))
		printf("# from byte %zu on:\n%s\n", at, text + at);
}

static void
expect_start(const char *text, const char *expected, const char *what)
{
	if (!tap_ok(!strncmp(text, expected, strlen(expected)), "%s", what))
		printf("%s\n", text);
}

/* clang-format off */
static const char table[] =
"statistics: 3 nodes, 2 clusters, 1 worker a node, crs, shm; 2.000 s\n"
"                                           sum   a second cluster  0 cluster  1\n"
"tasks spawned                                4          2          4          0\n"
"tasks executed                               4          2          3          1\n"
"  on the node that spawned them              3          2          3          0\n"
"  on another node                            1          0          0          1\n"
"stolen over WAN                              1          0          0          1\n"
"records that left their node                 1          0          1          0\n"
"records that came from another               1          0          0          1\n"
"  and went on to a third                     0          0          0          0\n"
"  and had left this one                      0          0          0          0\n"
"steal requests, synchronous, LAN             2          1          2          0\n"
"  granted                                    0          0          0          0\n"
"  refused                                    1          0          1          0\n"
"  cancelled                                  1          0          1          0\n"
"steal requests, asynchronous, WAN            1          0          0          1\n"
"  granted                                    1          0          0          1\n"
"  refused                                    0          0          0          0\n"
"  cancelled                                  0          0          0          0\n"
"requests still held at the end               1          0          1          0\n"
"results returned, WAN                        1          0          0          1\n"
"messages, LAN                                3          2          3          0\n"
"  bytes                                     20         10         20          0\n"
"messages, WAN                                3          2          1          2\n"
"  bytes                                     52         26         28         24\n"
"seconds working                          2.000     33.3 %      1.500      0.500\n"
"  parallelisation overhead               0.015      0.2 %      0.015      0.000\n"
"    by counting                          0.000      0.0 %      0.000      0.000\n"
"seconds communicating                    3.500     58.3 %      2.000      1.500\n"
"seconds idle                             0.500      8.3 %      0.500      0.000\n"
"share of the tasks executed                                   75.0 %     25.0 %\n"
"share of the time working                                     75.0 %     25.0 %\n";

static const char json[] =
"{\n"
"  \"schema\": \"sateen-stats/1\",\n"
"  \"sateen\": \"" PACKAGE_VERSION "\",\n"
"  \"interrupted\": false,\n"
"  \"run\": {\n"
"    \"command\": [\n"
"      \"./fib\",\n"
"      \"a \\\"b\\\"\\\\\\u0009\\u00e9\"\n"
"    ],\n"
"    \"nodes\": 3,\n"
"    \"clusters\": 2,\n"
"    \"cluster_sizes\": [\n"
"      2,\n"
"      1\n"
"    ],\n"
"    \"workers\": 1,\n"
"    \"balancer\": \"crs\",\n"
"    \"transport\": \"shm\",\n"
"    \"provider\": \"auto\",\n"
"    \"device\": \"auto\",\n"
"    \"wan_latency_ns\": 0,\n"
"    \"wan_bytes_per_s\": 0,\n"
"    \"wan_jitter_ns\": 0,\n"
"    \"wan_loss_percent\": 0.000000,\n"
"    \"seconds\": 2.000000\n"
"  },\n"
"  \"sums\": {\n"
"    \"hold\": true,\n"
"    \"bounds\": {\n"
"      \"changed\": 0,\n"
"      \"improved\": 0\n"
"    },\n"
"    \"incumbents\": {\n"
"      \"told\": 0,\n"
"      \"answered\": 0\n"
"    },\n"
"    \"tasks\": {\n"
"      \"spawned\": 4,\n"
"      \"executed\": 4\n"
"    },\n";

static const char complaints[] =
"sateen: the statistics don't add up: tasks, 5 spawned, but 4 executed\n"
"sateen: the statistics don't add up: requests, 4 asked, but 3 answered\n"
"sateen: the statistics don't add up: calls, 6 due, but 5 done\n";
/* clang-format on */

static void
test_sums(void)
{
	char *text = text_of(stn_summary_complain);

	expect_text(text, "", "sums that hold are not reported");
	free(text);
	steals_of(0)->workers.spawned++;
	steals_of(1)->steals[0][0].asked++;
	text = text_of(stn_summary_complain);
	expect_text(text, complaints,
		    "a line reports each sum that doesn't hold");
	free(text);
	text = text_of(stn_summary_json);
	tap_ok(strstr(text, "\"hold\": false"), "the JSON says so, too");
	free(text);
}

/* Each of these counts is in at least one sum. */
static void
test_each_sum(void)
{
	struct stn_counts *core = &nodes[0].core;
	struct stn_steal_counts *node = steals_of(0);
	uint64_t *const counted[] = {
		&node->workers.spawned,
		&node->workers.executed_here,
		&node->workers.executed_elsewhere,
		&node->workers.lent,
		&node->relayed,
		&node->borrowed,
		&node->came_home,
		&node->workers.stolen_lan,
		&node->workers.resumed,
		&node->reused,
		&node->fetched,
		&node->redone,
		&node->stale,
		&node->discarded,
		&node->steals[1][0].granted,
		&node->steals[0][1].refused,
		&node->held,
		&core->received[1][STN_RESULT].messages,
		&core->received[0][STN_REQUEST].messages,
		&core->sent[0][STN_REFUSE].messages,
	};

	for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++) {
		struct stn_sum sums[STN_SUMS_MOST];
		struct stn_tally total;
		bool hold;

		make_stats();
		++*counted[i];
		pack_stats();
		total = stn_summary_total(&summary);
		stn_tally_sums(&layout, &total, true, sums, &hold);
		tap_ok(!hold, "one more in count %zu breaks a sum", i);
	}
}

/* More clusters than the table has columns for, and a single node. */
static void
test_columns(void)
{
	const struct stn_topology many = { .nodes = 64, .clusters = 64 };
	const struct stn_topology one = { .nodes = 1, .clusters = 1 };
	static struct stn_tally stats;
	static struct stn_tally_packed *tallies[64];
	struct stn_summary other = summary;
	char line[200] = "";
	FILE *file = fmemopen(line, sizeof(line), "w");

	if (!file)
		abort();
	((struct stn_steal_counts *)stn_tally_of(stn_services,
						 &stn_steal_counts_table, &stats))
		->workers.spawned = 1;
	tallies[0] = stn_tally_pack(&stats);
	if (!tallies[0])
		abort();
	other.nodes = tallies;
	other.topology = &many;
	stn_summary_table(&other, file);
	fclose(file);
	tap_ok(strstr(line, " sum   a second\n"),
	       "the table of 64 clusters has no columns for clusters");
	file = fmemopen(line, sizeof(line), "w");
	if (!file)
		abort();
	other.topology = &one;
	stn_summary_table(&other, file);
	fclose(file);
	tap_ok(strstr(line, " sum   a second\n"),
	       "the table of a single node has none");
	free(tallies[0]);
}

int
main(void)
{
	char *text;

	tap_begin();
	stn_config_defaults(&config);
	layout = stn_tally_layout(stn_services);
	strcpy(config.transport, "shm");
	make_stats();
	text = text_of(stn_summary_table);
	expect_text(text, table, "the table");
	free(text);
	text = text_of(stn_summary_json);
	expect_start(text, json, "the JSON");
	free(text);
	test_sums();
	test_each_sum();
	test_columns();
	return tap_end();
}
