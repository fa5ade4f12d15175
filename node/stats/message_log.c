#include "node/stats/message_log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node/config.h"

struct stn_message_log {
	FILE *file;
	uint32_t rank;
};

enum stn_err
stn_message_log_open(const char *prefix, uint32_t rank,
		     struct stn_message_log **log_p, struct stn_why *why)
{
	struct stn_message_log *log;
	char path[STN_PATH_BYTES + 16];

	*log_p = NULL;
	if (!strcmp(prefix, "none"))
		return STN_OK;
	log = malloc(sizeof(*log));
	if (!log)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	snprintf(path, sizeof(path), "%s.%" PRIu32, prefix, rank);
	log->rank = rank;
	log->file = fopen(path, "we");
	if (!log->file) {
		free(log);
		return stn_because(why, STN_IO,
				   "can't write the message log %s: %s; choose "
				   "another --message-log",
				   path, strerror(errno));
	}
	*log_p = log;
	return STN_OK;
}

enum stn_err
stn_message_log_close(struct stn_message_log *log)
{
	bool failed;

	if (!log)
		return STN_OK;
	failed = ferror(log->file);
	if (!fclose(log->file) && !failed) {
		free(log);
		return STN_OK;
	}
	fprintf(stderr,
		"sateen: node %" PRIu32 "'s message log is cut short: %s\n",
		log->rank, strerror(errno));
	free(log);
	return STN_IO;
}

void
stn_message_log(struct stn_message_log *log, uint64_t now, const char *verb,
		const struct stn_kind *kind, uint32_t other, uint32_t number)
{
	fprintf(log->file,
		"%" PRIu64 " %" PRIu32 " %s %s %" PRIu32 " %" PRIu32 "\n", now,
		log->rank, verb, kind->name, other, number);
}
