/*
 * fuzz_links.c: arbitrary bytes are either a links file, or are refused with
 * one line.
 */
#include <stdio.h>
#include <string.h>

#include "emul/link.h"
#include "tests/fuzz/fuzz.h"
#include "emul/links.h"

/*
 * Over any parsed link and at any time a message arrives, and not before the
 * one sent before it.
 */
static void
check_links(struct stn_topology *topology)
{
	static const uint64_t gaps[] = { 0, 1, 1000, 1000000000, 1ull << 40 };
	const struct stn_link inside = { .latency_ns = 10 };

	require(topology->links && topology->sections &&
		!topology->starts_ns[0]);
	for (uint32_t i = 1; i < topology->sections; i++)
		require(topology->starts_ns[i] > topology->starts_ns[i - 1]);
	stn_links_fill(topology, &inside);
	for (size_t link = 0; link < 9; link++) {
		struct stn_profile profile =
			stn_topology_profile(topology, link);
		struct stn_link_queue queue = { 0 };
		uint64_t now = 0, last = 0;

		for (size_t i = 0; i < sizeof(gaps) / sizeof(gaps[0]); i++) {
			uint64_t due = stn_link_send(&profile, &queue, 100,
						     now += gaps[i]);

			require(due >= now && due >= last);
			last = due;
		}
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stn_topology topology = { .nodes = 9,
					 .clusters = 3,
					 .wan = { 7, 7, 7, 7 } };
	FILE *in = size ? fmemopen((void *)data, size, "r") : NULL;
	struct stn_why why = { .text = "" };

	if (!in)
		return 0;
	if (stn_links_parse(in, "links", &topology, &why)) {
		require(!topology.links && *why.text);
		require(!strchr(why.text, '\n'));
		require(!topology.starts_ns);
	} else {
		check_links(&topology);
	}
	stn_topology_fini(&topology);
	fclose(in);
	return 0;
}
