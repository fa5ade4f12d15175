#include "node/stats/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct stn_trace {
	FILE *file;
	uint32_t rank;
};

enum stn_err
stn_trace_open(const char *prefix, uint32_t rank, struct stn_trace **trace_p,
	       struct stn_why *why)
{
	struct stn_trace *trace;
	char path[300];

	*trace_p = NULL;
	if (!strcmp(prefix, "none"))
		return STN_OK;
	trace = malloc(sizeof(*trace));
	if (!trace)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	snprintf(path, sizeof(path), "%s.%" PRIu32, prefix, rank);
	trace->rank = rank;
	trace->file = fopen(path, "we");
	if (!trace->file) {
		free(trace);
		return stn_because(why, STN_IO,
				   "can't write the trace %s: %s; choose "
				   "another --trace",
				   path, strerror(errno));
	}
	*trace_p = trace;
	return STN_OK;
}

enum stn_err
stn_trace_close(struct stn_trace *trace)
{
	bool failed;

	if (!trace)
		return STN_OK;
	failed = ferror(trace->file);
	if (!fclose(trace->file) && !failed) {
		free(trace);
		return STN_OK;
	}
	fprintf(stderr, "sateen: node %" PRIu32 "'s trace is cut short: %s\n",
		trace->rank, strerror(errno));
	free(trace);
	return STN_IO;
}

void
stn_trace(struct stn_trace *trace, uint64_t now, const char *verb,
	  const struct stn_kind *kind, uint32_t other, const void *header)
{
	uint32_t number = 0;

	if (!trace)
		return;
	if (kind->numbered && header)
		memcpy(&number, (const char *)header + kind->number_at,
		       sizeof(number));
	fprintf(trace->file,
		"%" PRIu64 " %" PRIu32 " %s %s %" PRIu32 " %" PRIu32 "\n", now,
		trace->rank, verb, kind->name, other, number);
}
