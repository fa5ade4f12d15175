/*
 * fuzz_hosts.c: any bytes are parsed as a file of hosts, or are refused with
 * one line.
 */
#include <stdio.h>
#include <string.h>

#include "launch/run/hosts.h"
#include "tests/fuzz/fuzz.h"

/* Clusters are sorted and not empty; no name looks like an option. */
static void
check_hosts(const struct stn_hosts *hosts)
{
	uint32_t clusters = hosts->cluster_count ? hosts->cluster_count : 1;

	require(hosts->count && !hosts->list[0].cluster);
	for (uint32_t i = 0; i < hosts->count; i++) {
		const struct stn_host *host = &hosts->list[i];

		require(*host->name && *host->name != '-');
		require(!strpbrk(host->name, " \t\n;&|$`'\"\\<>()*?!"));
		require(host->nodes <= STN_HOSTS_NODES);
		require(!i || host->cluster == host[-1].cluster ||
			host->cluster == host[-1].cluster + 1);
	}
	require(hosts->list[hosts->count - 1].cluster == clusters - 1);
	for (uint32_t i = 0; i < hosts->cluster_count; i++)
		require(*hosts->clusters[i]);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *in = size ? fmemopen((void *)data, size, "r") : NULL;
	struct stn_why why = { .text = "" };
	struct stn_hosts hosts;

	if (!in)
		return 0;
	if (stn_hosts_parse(in, "hosts", &hosts, &why)) {
		require(!hosts.list && !hosts.clusters && *why.text);
		require(!strchr(why.text, '\n'));
	} else {
		check_hosts(&hosts);
	}
	stn_hosts_fini(&hosts);
	fclose(in);
	return 0;
}
