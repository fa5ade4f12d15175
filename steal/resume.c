#include "steal/resume.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "steal/keep_writer.h"

static int
log_names(const struct dirent *entry)
{
	return stn_log_is_name(entry->d_name);
}

static enum stn_err
cannot_read(const char *path, struct stn_why *why)
{
	return stn_because(why, STN_IO, "can't read %.300s: %s", path,
			   strerror(errno));
}

/* Maps a file. An empty one has NULL. */
static enum stn_err
map_log(struct stn_resume_log *log, struct stn_why *why)
{
	int fd = open(log->path, O_RDONLY | O_CLOEXEC);
	struct stat is;

	if (fd < 0 || fstat(fd, &is)) {
		if (fd >= 0)
			close(fd);
		/* A run that has just ended well removes its logs. */
		return errno == ENOENT ? STN_OK : cannot_read(log->path, why);
	}
	log->size = (size_t)is.st_size;
	if (log->size)
		log->bytes =
			mmap(NULL, log->size, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (log->bytes != MAP_FAILED)
		return STN_OK;
	log->bytes = NULL;
	return cannot_read(log->path, why);
}

static enum stn_err
map_named(struct stn_resume *resume, const char *directory, const char *name,
	  struct stn_why *why)
{
	struct stn_resume_log *log = &resume->logs[resume->log_count];
	size_t bytes = strlen(directory) + strlen(name) + 2;

	log->path = malloc(bytes);
	if (!log->path)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	resume->log_count++;
	snprintf(log->path, bytes, "%s/%s", directory, name);
	return map_log(log, why);
}

static enum stn_err
map_logs(struct stn_resume *resume, const char *directory, struct stn_why *why)
{
	struct dirent **names;
	int count = scandir(directory, &names, log_names, alphasort);
	enum stn_err err = STN_OK;

	if (count < 0)
		return errno == ENOENT ? STN_OK : cannot_read(directory, why);
	resume->logs = calloc((size_t)count + 1, sizeof(resume->logs[0]));
	if (!resume->logs)
		err = stn_because(why, STN_NO_MEMORY, "out of memory");
	for (int i = 0; i < count; i++) {
		if (!err)
			err = map_named(resume, directory, names[i]->d_name,
					why);
		free(names[i]);
	}
	free(names);
	return err;
}

/*
 * Opens a log whose program must be right. STN_MALFORMED: there is nothing in
 * it, and that has been told.
 */
static enum stn_err
open_log(struct stn_resume_log *log, uint64_t program, bool tells,
	 struct stn_log_reader *reader, struct stn_why *why)
{
	struct stn_log_header header;
	enum stn_err err = stn_log_open(reader, log->bytes, log->size, &header);

	if (err == STN_INVALID)
		return stn_because(why, err,
				   "%.300s was written by another version of "
				   "Sateen; choose another --resume",
				   log->path);
	/* A log without a whole header: its node has died at once. */
	if (err && tells && log->size >= STN_LOG_HEADER_BYTES)
		fprintf(stderr,
			"sateen: %s is damaged at byte 0; none of its results "
			"is used\n",
			log->path);
	if (!err && header.program != program)
		return stn_because(why, STN_INVALID,
				   "%.300s is the log of another program; "
				   "choose another --resume",
				   log->path);
	log->of_array = !err && header.kind == STN_LOG_OF_ARRAY;
	return err;
}

static void
index_add(struct stn_resume *resume, const struct stn_log_entry *entry)
{
	uint64_t place = entry->key.low & resume->mask;

	while (resume->results[place].outputs) {
		if (!memcmp(&resume->results[place].key, &entry->key,
			    sizeof(entry->key)))
			return;
		place = (place + 1) & resume->mask;
	}
	resume->results[place] =
		(struct stn_resume_result){ entry->key, entry->outputs,
					    entry->size };
	resume->filter[entry->hint / 8 & resume->mask] |=
		(unsigned char)(1 << entry->hint % 8);
	resume->count++;
	resume->cost_ns += entry->cost_ns;
}

/*
 * Reads the entries of a log, and adds them to the index, if there is one yet.
 * Returns their number.
 */
static uint64_t
read_entries(struct stn_resume *resume, struct stn_log_reader *reader)
{
	struct stn_log_entry entry;
	uint64_t count = 0;

	for (; stn_log_read(reader, &entry); count++)
		if (resume->results)
			index_add(resume, &entry);
	return count;
}

/* Counts the results of all logs, and complains of the damaged ones. */
static enum stn_err
count_results(struct stn_resume *resume, uint64_t program, bool tells,
	      uint64_t *count_p, struct stn_why *why)
{
	*count_p = 0;
	resume->result_logs = 0;
	for (size_t i = 0; i < resume->log_count; i++) {
		struct stn_resume_log *log = &resume->logs[i];
		struct stn_log_reader reader;
		enum stn_err err = open_log(log, program, tells, &reader, why);
		uint64_t count;

		if (err == STN_MALFORMED)
			continue;
		if (err)
			return err;
		if (log->of_array)
			continue;
		resume->result_logs++;
		count = read_entries(resume, &reader);
		*count_p += count;
		if (reader.damaged && tells)
			fprintf(stderr,
				"sateen: %s is damaged at byte %zu; %" PRIu64
				" results in it are used\n",
				log->path, reader.damaged, count);
	}
	return STN_OK;
}

static enum stn_err
make_index(struct stn_resume *resume, uint64_t program, uint64_t count,
	   struct stn_why *why)
{
	resume->mask = 63;
	while (resume->mask < 2 * count)
		resume->mask = 2 * resume->mask + 1;
	resume->filter = calloc(resume->mask + 1, 1);
	resume->results = calloc(resume->mask + 1, sizeof(resume->results[0]));
	if (resume->filter && resume->results)
		return count_results(resume, program, false, &count, why);
	return stn_because(why, STN_NO_MEMORY, "out of memory");
}

/* If all logs are of grids, each grid has a line of its own. */
static void
tell(const struct stn_resume *resume, const char *directory)
{
	bool of_arrays = false;

	for (size_t i = 0; i < resume->log_count; i++)
		of_arrays = of_arrays || resume->logs[i].of_array;
	if (of_arrays && !resume->result_logs)
		return;
	fprintf(stderr,
		"sateen: resumes from %" PRIu64 " results in %zu logs in %s\n",
		resume->count, resume->result_logs, directory);
}

enum stn_err
stn_resume_open(const char *directory, uint64_t program, bool tells,
		struct stn_resume **resume_p, struct stn_why *why)
{
	struct stn_resume *resume = calloc(1, sizeof(*resume));
	enum stn_err err;
	uint64_t count;

	*resume_p = NULL;
	if (!resume)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	err = map_logs(resume, directory, why);
	if (!err)
		err = count_results(resume, program, tells, &count, why);
	if (!err)
		err = make_index(resume, program, count, why);
	if (!err && tells)
		tell(resume, directory);
	if (err)
		stn_resume_close(resume);
	else
		*resume_p = resume;
	return err;
}

void
stn_resume_close(struct stn_resume *resume)
{
	if (!resume)
		return;
	for (size_t i = 0; i < resume->log_count; i++) {
		if (resume->logs[i].bytes)
			munmap(resume->logs[i].bytes, resume->logs[i].size);
		free(resume->logs[i].path);
	}
	free(resume->logs);
	free(resume->results);
	free(resume->filter);
	free(resume);
}

void
stn_resume_remove(const struct stn_resume *resume)
{
	for (size_t i = 0; i < resume->log_count; i++)
		stn_log_remove_idle(resume->logs[i].path);
}

const struct stn_resume_result *
stn_resume_find(const struct stn_resume *resume, struct stn_key key)
{
	uint64_t place = key.low & resume->mask;

	for (; resume->results[place].outputs;
	     place = (place + 1) & resume->mask)
		if (!memcmp(&resume->results[place].key, &key, sizeof(key)))
			return &resume->results[place];
	return NULL;
}
