/*
 * What is made of statistics: sums that hold or don't, the table, and the JSON,
 * to the letter.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <string.h>

#include "steal/stats/summary.h"
#include "steal/wire.h"
#include "tests/tap.h"

#define NODES 3

static struct stn_config config;
static const struct stn_topology topology = { .nodes = NODES, .clusters = 2 };
static struct stn_stats nodes[NODES];
static char *command[] = { "./fib", "a \"b\"\\\t\xe9" };
static const struct stn_summary summary = {
	.config = &config,
	.topology = &topology,
	.workers = 1,
	.argc = 2,
	.argv = command,
	.run_ns = 2000000000,
	.nodes = nodes,
};

/* Node 2, cluster 1, steals a task of node 0, cluster 0; node 1 gets nothing.
 */
static void
make_stats(void)
{
	memset(nodes, 0, sizeof(nodes));
	nodes[0].spawned = 4;
	nodes[0].executed = nodes[0].executed_here = 3;
	nodes[0].lent = 1;
	nodes[0].received[0][STN_REQUEST] = (struct stn_mail){ 2, 16 };
	nodes[0].received[1][STN_REQUEST] = (struct stn_mail){ 1, 8 };
	nodes[0].received[1][STN_RESULT] = (struct stn_mail){ 1, 16 };
	nodes[0].sent[0][STN_REFUSE] = (struct stn_mail){ 1, 4 };
	nodes[0].sent[1][STN_GRANT] = (struct stn_mail){ 1, 28 };
	nodes[0].messages_lan = nodes[0].messages_wan = 1;
	nodes[0].bytes_lan = 4;
	nodes[0].bytes_wan = 28;
	nodes[0].held = 1;
	nodes[0].working_ns = 1500000000;
	nodes[0].idle_ns = 500000000;
	nodes[0].overhead_ns = 15000000;
	nodes[1].steals[0][0] = (struct stn_steals){ 2, 0, 1, 1 };
	nodes[1].sent[0][STN_REQUEST] = (struct stn_mail){ 2, 16 };
	nodes[1].messages_lan = 2;
	nodes[1].bytes_lan = 16;
	nodes[1].communicating_ns = 2000000000;
	nodes[2].executed = nodes[2].executed_elsewhere = 1;
	nodes[2].stolen_wan = nodes[2].borrowed = 1;
	nodes[2].steals[1][1] = (struct stn_steals){ 1, 1, 0, 0 };
	nodes[2].sent[1][STN_REQUEST] = (struct stn_mail){ 1, 8 };
	nodes[2].sent[1][STN_RESULT] = (struct stn_mail){ 1, 16 };
	nodes[2].results_wan = 1;
	nodes[2].messages_wan = 2;
	nodes[2].bytes_wan = 24;
	nodes[2].working_ns = 500000000;
	nodes[2].communicating_ns = 1500000000;
}

/* What some way of showing them writes. */
static char *
shown(void show(const struct stn_summary *, FILE *))
{
	char *text = NULL;
	size_t bytes;
	FILE *file = open_memstream(&text, &bytes);

	if (!file)
		abort();
	show(&summary, file);
	if (fclose(file))
		abort();
	return text;
}

/* Shows where the two part. */
static void
same(const char *text, const char *expected, const char *what)
{
	size_t at = 0;

	while (text[at] && text[at] == expected[at])
		at++;
	if (!tap_ok(!strcmp(text, expected), "%s", what))
		printf("# from byte %zu on:\n%s\n", at, text + at);
}

static void
starts_with(const char *text, const char *expected, const char *what)
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
"    \"seconds\": 2.000000\n"
"  },\n"
"  \"sums\": {\n"
"    \"hold\": true,\n"
"    \"tasks\": {\n"
"      \"spawned\": 4,\n"
"      \"executed\": 4\n"
"    },\n";

static const char complaints[] =
"sateen: the statistics don't add up: tasks, 5 spawned, but 4 executed\n"
"sateen: the statistics don't add up: requests, 4 asked, but 3 answered\n";
/* clang-format on */

static void
test_sums(void)
{
	char *text = shown(stn_summary_complain);

	same(text, "", "sums that hold are not worth a word");
	free(text);
	nodes[0].spawned++;
	nodes[1].steals[0][0].asked++;
	text = shown(stn_summary_complain);
	same(text, complaints, "those that don't are told, a line each");
	free(text);
	text = shown(stn_summary_json);
	tap_ok(strstr(text, "\"hold\": false"), "also in the JSON");
	free(text);
}

/* Each count of its own breaks a sum, or two. */
static void
test_each_sum(void)
{
	struct stn_stats *node = &nodes[0];
	uint64_t *const counted[] = {
		&node->spawned,
		&node->executed_here,
		&node->executed_elsewhere,
		&node->lent,
		&node->relayed,
		&node->borrowed,
		&node->came_home,
		&node->steals[1][0].granted,
		&node->steals[0][1].refused,
		&node->held,
		&node->received[1][STN_RESULT].messages,
		&node->received[0][STN_REQUEST].messages,
		&node->sent[0][STN_REFUSE].messages,
	};

	for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++) {
		struct stn_sum sums[STN_SUMS];
		struct stn_stats total;

		make_stats();
		++*counted[i];
		total = stn_summary_total(&summary);
		tap_ok(!stn_stats_sums(&total, sums),
		       "a count too many of sort %zu is noticed", i);
	}
}

/* More clusters than fit beside each other, and a single node. */
static void
test_columns(void)
{
	const struct stn_topology many = { .nodes = 64, .clusters = 64 };
	const struct stn_topology one = { .nodes = 1, .clusters = 1 };
	struct stn_stats stats[64] = { { .spawned = 1 } };
	struct stn_summary other = summary;
	char line[200] = "";
	FILE *file = fmemopen(line, sizeof(line), "w");

	if (!file)
		abort();
	other.nodes = stats;
	other.topology = &many;
	stn_summary_table(&other, file);
	fclose(file);
	tap_ok(strstr(line, " sum   a second\n"),
	       "64 clusters have no columns");
	file = fmemopen(line, sizeof(line), "w");
	if (!file)
		abort();
	other.topology = &one;
	stn_summary_table(&other, file);
	fclose(file);
	tap_ok(strstr(line, " sum   a second\n"), "nor has a single node");
}

int
main(void)
{
	char *text;

	tap_begin();
	stn_config_defaults(&config);
	strcpy(config.transport, "shm");
	make_stats();
	text = shown(stn_summary_table);
	same(text, table, "the table");
	free(text);
	text = shown(stn_summary_json);
	starts_with(text, json, "the JSON");
	free(text);
	test_sums();
	test_each_sum();
	test_columns();
	return tap_end();
}
