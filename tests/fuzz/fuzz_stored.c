/*
 * fuzz_stored.c: arbitrary bytes are either the history of an array, whose
 * calls are inside them, or are refused. A version of which nodes tell that
 * they have parts is chosen only if each part has a holder.
 *
 * Input: version (64 bits), history. The bytes of the history are also taken as
 * runs of parts.
 */
#include <string.h>

#include "parts/survive/revival.h"
#include "parts/survive/stored.h"
#include "tests/fuzz/fuzz.h"

#define PARTS 100

STN_KERNEL(stored_point, double, double, factor)
{
	at->to[0] = factor;
}

static const struct stn_task *tasks[] = { &stored_point_task, NULL };
static const struct stn_table table = { tasks, 1 };

static void
check_history(const unsigned char *bytes, size_t size, uint64_t version)
{
	struct stn_stored_read read;

	if (stn_stored_read(bytes, size, version, &table, &read))
		return;
	require(read.head.calls > 0 &&
		read.head.order.number == read.head.calls);
	require(read.head.base < version && version <= read.head.end);
	require((const unsigned char *)(read.calls + read.head.calls) <=
		bytes + size);
	for (uint32_t i = 0; i < read.head.plans; i++)
		require((const unsigned char *)read.plans[i].payload +
				read.plans[i].bytes <=
			bytes + size);
	require(read.head.order.task_id < table.count ||
		read.head.order.what == STN_PARTS_REFRESH ||
		read.head.order.what == STN_CELLS_JOIN);
}

static void
check_runs(const unsigned char *bytes, size_t size)
{
	struct stn_revival *revival = stn_revival_create(PARTS);
	uint32_t count = (uint32_t)(size / sizeof(struct stn_parts_run));
	const struct stn_revival_candidate *chosen;

	require(revival != NULL);
	for (uint32_t i = 0; i < count; i++) {
		const struct stn_parts_run *run =
			(const struct stn_parts_run *)bytes + i;

		if (!stn_revival_add(revival, 1 + i % 2, 7, i, run, 1))
			require(run->first < PARTS &&
				run->count <= PARTS - run->first);
	}
	require(!stn_revival_add_history(revival, 1, 7, PARTS, "history", 8));
	require(!stn_revival_add_history(revival, 2, 7, PARTS, "history", 8));
	chosen = stn_revival_choose(revival);
	for (uint32_t i = 0; chosen && i < PARTS; i++)
		require(chosen->holders[i] < count);
	stn_revival_destroy(revival);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char *bytes;
	uint64_t version;

	if (size < sizeof(version))
		return 0;
	memcpy(&version, data, sizeof(version));
	size -= sizeof(version);
	bytes = malloc(size + 1); /* aligned */
	require(bytes != NULL);
	memcpy(bytes, data + sizeof(version), size);
	check_history(bytes, size, version);
	check_runs(bytes, size);
	free(bytes);
	return 0;
}
