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

/* Not inlined: @path would be on the stack of nodes that have no log. */
static __attribute__((noinline)) enum stn_err
message_log_create(const char *prefix, struct stn_message_log *log,
		   struct stn_why *why)
{
	char path[STN_PATH_BYTES + 16];

	snprintf(path, sizeof(path), "%s.%" PRIu32, prefix, log->rank);
	log->file = fopen(path, "we");
	return log->file ? STN_OK
			 : stn_because(why, STN_IO,
				       "can't write the message log %s: %s; "
				       "choose another --message-log",
				       path, strerror(errno));
}

enum stn_err
stn_message_log_open(const char *prefix, uint32_t rank,
		     struct stn_message_log **log_p, struct stn_why *why)
{
	struct stn_message_log *log;
	enum stn_err err;

	*log_p = NULL;
	if (!strcmp(prefix, "none"))
		return STN_OK;
	log = malloc(sizeof(*log));
	if (!log)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	log->rank = rank;
	err = message_log_create(prefix, log, why);
	if (err)
		free(log);
	else
		*log_p = log;
	return err;
}

static enum stn_err
say_cut_short(const struct stn_message_log *log)
{
	fprintf(stderr,
		"sateen: node %" PRIu32 "'s message log is cut short: %s\n",
		log->rank, strerror(errno));
	return STN_IO;
}

enum stn_err
stn_message_log_close(struct stn_message_log *log)
{
	enum stn_err err = STN_OK;
	bool failed;

	if (!log)
		return STN_OK;
	failed = ferror(log->file);
	if (fclose(log->file) || failed)
		err = say_cut_short(log);
	free(log);
	return err;
}

enum stn_err
stn_message_log_flush(struct stn_message_log *log)
{
	bool failed;

	if (!log)
		return STN_OK;
	failed = ferror(log->file);
	return fflush(log->file) || failed ? say_cut_short(log) : STN_OK;
}

void
stn_message_log(struct stn_message_log *log, uint64_t now, const char *verb,
		const struct stn_kind *kind, uint32_t other, uint32_t number)
{
	fprintf(log->file,
		"%" PRIu64 " %" PRIu32 " %s %s %" PRIu32 " %" PRIu32 "\n", now,
		log->rank, verb, kind->name, other, number);
}
