#include "steal/stats/stats.h"

#include <string.h>

#define COUNT(name, text)                                                      \
	{                                                                      \
#name, text, offsetof(struct stn_stats, name)                  \
	}
#define STEALS(name, text, asynchronous, wide)                                 \
	STEAL(asked_##name, "steal requests, " text, asynchronous, wide,       \
	      asked),                                                          \
		STEAL(granted_##name, "  granted", asynchronous, wide,         \
		      granted),                                                \
		STEAL(refused_##name, "  refused", asynchronous, wide,         \
		      refused),                                                \
		STEAL(cancelled_##name, "  cancelled", asynchronous, wide,     \
		      cancelled)
#define STEAL(name, text, asynchronous, wide, member)                          \
	{                                                                      \
#name, text,                                                   \
			offsetof(struct stn_stats,                             \
				 steals[asynchronous][wide].member)            \
	}

const struct stn_count stn_counts[] = {
	COUNT(spawned, "tasks spawned"),
	COUNT(executed, "tasks executed"),
	COUNT(executed_here, "  on the node that spawned them"),
	COUNT(executed_elsewhere, "  on another node"),
	COUNT(work_units, "units of work"),
	COUNT(stolen_node, "stolen inside a node"),
	COUNT(stolen_lan, "stolen over LAN"),
	COUNT(stolen_wan, "stolen over WAN"),
	COUNT(lent, "records that left their node"),
	COUNT(borrowed, "records that came from another"),
	COUNT(relayed, "  and went on to a third"),
	COUNT(came_home, "  and had left this one"),
	STEALS(sync_lan, "synchronous, LAN", 0, 0),
	STEALS(sync_wan, "synchronous, WAN", 0, 1),
	STEALS(async_lan, "asynchronous, LAN", 1, 0),
	STEALS(async_wan, "asynchronous, WAN", 1, 1),
	COUNT(held, "requests still held at the end"),
	COUNT(results_lan, "results returned, LAN"),
	COUNT(results_wan, "results returned, WAN"),
	COUNT(messages_lan, "messages, LAN"),
	COUNT(bytes_lan, "  bytes"),
	COUNT(messages_wan, "messages, WAN"),
	COUNT(bytes_wan, "  bytes"),
	COUNT(bytes_copied, "bytes copied on their way"),
	COUNT(working_ns, "seconds working"),
	COUNT(overhead_ns, "  parallelisation overhead"),
	COUNT(counting_ns, "    by counting"),
	COUNT(communicating_ns, "seconds communicating"),
	COUNT(idle_ns, "seconds idle"),
	COUNT(sync_ns, "of these two, in a sync"),
	COUNT(answering_ns, "seconds handling messages"),
	{ NULL, NULL, 0 },
};

#define WORDS (sizeof(struct stn_stats) / sizeof(uint64_t))

void
stn_stats_add(struct stn_stats *to, const struct stn_stats *from)
{
	uint64_t sums[WORDS], more[WORDS];

	memcpy(sums, to, sizeof(*to));
	memcpy(more, from, sizeof(*from));
	for (size_t i = 0; i < WORDS; i++)
		sums[i] += more[i];
	memcpy(to, sums, sizeof(*to));
}

const struct stn_count *
stn_count_find(const char *name)
{
	const struct stn_count *count = stn_counts;

	while (strcmp(count->name, name))
		count++;
	return count;
}

uint64_t
stn_count_get(const struct stn_count *count, const struct stn_stats *stats)
{
	uint64_t value;

	memcpy(&value, (const char *)stats + count->offset, sizeof(value));
	return value;
}

bool
stn_count_is_time(const struct stn_count *count)
{
	return !strcmp(count->name + strlen(count->name) - 3, "_ns");
}
