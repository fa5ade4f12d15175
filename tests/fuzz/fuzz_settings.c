/*
 * fuzz_settings.c: arbitrary words, one a line, are either settings within
 * their ranges, or are refused with one line. Each word is also parsed as every
 * kind of number.
 */
#include <stdlib.h>
#include <string.h>

#include "launch/config_check.h"
#include "launch/settings.h"
#include "node/clusters.h"
#include "tests/fuzz/fuzz.h"
#include "transport/units.h"

#define WORDS 16

/* A parser that refuses a word must leave the value unchanged. */
static void
fuzz_units(const char *word)
{
	struct stn_link link = { 7, 7, 7, 7 }, again;
	char text[STN_LINK_BYTES];
	uint64_t value = 7;

	if (stn_parse_count(word, 3, 1000, &value))
		require(value == 7);
	require(value >= 3 && value <= 1000);
	value = 7;
	if (stn_parse_duration(word, &value))
		require(value == 7);
	require(value <= 1ull << 63);
	value = 7;
	if (stn_parse_bytes(word, &value))
		require(value == 7);
	require(value <= 1ull << 63);
	if (stn_parse_link(word, &link))
		require(link.latency_ns == 7 && link.bytes_per_s == 7 &&
			link.jitter_ns == 7 && link.loss_ppm == 7);
	require(link.loss_ppm < 1000000);
	/* Beyond 2^53 printing and parsing a number may round it. */
	stn_print_link(&link, text);
	require(!stn_parse_link(text, &again) ||
		link.latency_ns >= 1ull << 53 || link.jitter_ns >= 1ull << 53 ||
		link.bytes_per_s >= 1ull << 53);
}

static bool
ends(const char text[STN_TEXT_BYTES])
{
	return *text && memchr(text, '\0', STN_TEXT_BYTES);
}

static void
check_config(const struct stn_config *config)
{
	require(config->nodes >= 1 && config->nodes <= 100000);
	require(config->clusters >= 1 && config->clusters <= 100000);
	require(memchr(config->sizes, '\0', STN_PATH_BYTES));
	require(config->workers <= 4096);
	require(config->slots >= 1 && config->slots <= 1 << 24);
	require(config->stack_bytes >= 65536 &&
		config->stack_bytes <= 1ull << 40);
	require(config->seed <= INT64_MAX);
	require(memchr(config->stats.json, '\0', STN_PATH_BYTES) &&
		(config->stats.wanted || !*config->stats.json));
	require(ends(config->near) && ends(config->device) &&
		ends(config->interface) && ends(config->ports));
	require(ends(config->balancer) && ends(config->transport) &&
		ends(config->provider) && ends(config->address));
}

/*
 * Sifting loses no word, and puts the settings first, whether their values are
 * valid or not.
 */
static void
fuzz_sift(int count, char **words)
{
	struct stn_config config;
	char *sifted[WORDS + 1];
	int front, kept = 0;

	memcpy(sifted, words, ((size_t)count + 1) * sizeof(words[0]));
	stn_config_defaults(&config);
	front = stn_config_sift(&config, count, sifted);
	require(front >= 0 && front <= count && !sifted[count]);
	for (int i = 0; i < count; i++)
		for (int j = 0; j < count; j++)
			kept += sifted[j] == words[i];
	require(kept == count);
	require(!front || sifted[0][0] == '-');
}

/* Each node is in a cluster, and each cluster has a node. */
static void
fuzz_sizes(const struct stn_config *config)
{
	struct stn_topology topology = {
		.nodes = (uint32_t)config->nodes,
		.clusters = (uint32_t)config->clusters,
	};
	uint32_t last = topology.clusters - 1;

	require(config->clusters <= config->nodes);
	require(!stn_clusters_apply(config->sizes, &topology));
	require(stn_cluster_first(&topology, 0) == 0);
	require(stn_cluster_first(&topology, last) +
			stn_cluster_size(&topology, last) ==
		topology.nodes);
	require(stn_cluster_of(&topology, topology.nodes - 1) == last);
	stn_topology_fini(&topology);
}

static void
fuzz_options(int count, char **words)
{
	struct stn_config config;
	struct stn_why why = { "" };
	int next = -1;

	stn_config_defaults(&config);
	if (stn_config_options(&config, count, words, &next, &why))
		require(*why.text && !strchr(why.text, '\n') && next == -1);
	else
		require(next >= 0 && next <= count);
	check_config(&config);
	if (stn_config_check(&config, &why))
		require(*why.text && !strchr(why.text, '\n'));
	else
		fuzz_sizes(&config);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *words[WORDS + 1], *at = text;
	int count = 0;

	require(text);
	memcpy(text, data, size);
	text[size] = '\0';
	while (at && *at && count < WORDS)
		words[count++] = strsep(&at, "\n");
	words[count] = NULL;
	for (int i = 0; i < count; i++)
		fuzz_units(words[i]);
	fuzz_sift(count, words);
	fuzz_options(count, words);
	free(text);
	return 0;
}
