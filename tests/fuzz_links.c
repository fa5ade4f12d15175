/*
 * fuzz_links.c: any bytes are a file of links, or are refused in one line.
 */
#include <stdio.h>
#include <string.h>

#include "tests/fuzz.h"
#include "transport/links.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stn_topology topology = { .nodes = 9,
					 .clusters = 3,
					 .wan = { 7, 7, 7 } };
	FILE *in = size ? fmemopen((void *)data, size, "r") : NULL;
	struct stn_why why = { .text = "" };

	if (!in)
		return 0;
	if (stn_links_parse(in, "links", &topology, &why)) {
		require(!topology.links && *why.text);
		require(!strchr(why.text, '\n'));
	} else {
		require(topology.links);
		require(stn_topology_profile(&topology, 8).links->latency_ns <=
			1ull << 63);
	}
	free(topology.links);
	fclose(in);
	return 0;
}
