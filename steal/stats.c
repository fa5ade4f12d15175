#include "steal/stats.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

static const struct {
	const char *name, *text;
	size_t offset;
} counts[] = {
#define X(name, text) { #name, text, offsetof(struct stn_stats, name) },
	STN_COUNTS(X)
#undef X
};

#define COUNTS (sizeof(counts) / sizeof(counts[0]))

static uint64_t
get(const struct stn_stats *stats, size_t i)
{
	uint64_t value;

	memcpy(&value, (const char *)stats + counts[i].offset, sizeof(value));
	return value;
}

void
stn_stats_add(struct stn_stats *to, const struct stn_stats *from)
{
	for (size_t i = 0; i < COUNTS; i++) {
		uint64_t sum = get(to, i) + get(from, i);

		memcpy((char *)to + counts[i].offset, &sum, sizeof(sum));
	}
}

static void
print_value(const struct stn_stats *stats, size_t i, FILE *out)
{
	const char *name = counts[i].name;
	uint64_t value = get(stats, i);

	if (!strcmp(name + strlen(name) - 3, "_ns"))
		fprintf(out, " %11.3f", (double)value * 1e-9);
	else
		fprintf(out, " %11" PRIu64, value);
}

void
stn_stats_print(const struct stn_stats *stats, uint32_t nodes, FILE *out)
{
	struct stn_stats sum = { 0 };

	fprintf(out, "%-26s %11s", "statistics", "sum");
	for (uint32_t n = 0; n < nodes; n++) {
		stn_stats_add(&sum, &stats[n]);
		fprintf(out, "   node %4" PRIu32, n);
	}
	fputc('\n', out);
	for (size_t i = 0; i < COUNTS; i++) {
		fprintf(out, "%-26s", counts[i].text);
		print_value(&sum, i, out);
		for (uint32_t n = 0; n < nodes; n++)
			print_value(&stats[n], i, out);
		fputc('\n', out);
	}
}
