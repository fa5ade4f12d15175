#include "steal/keep_writer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

#define PERIOD_MS 1000
#define WAITS 3 /* periods in which the run's number must become known */
#define PREFIX "sateen-"
#define SUFFIX ".log"

uint64_t
stn_log_random(void)
{
	uint64_t number = 0;

	while (!number)
		if (getrandom(&number, sizeof(number), 0) != sizeof(number))
			number = 0;
	return number;
}

bool
stn_log_is_name(const char *name)
{
	size_t length = strlen(name), end = strlen(SUFFIX);

	return !strncmp(name, PREFIX, strlen(PREFIX)) && length > end &&
	       !strcmp(name + length - end, SUFFIX);
}

void
stn_log_writer_name_run(struct stn_log_writer *writer, uint64_t run)
{
	uint64_t unknown = 0;

	atomic_compare_exchange_strong(&writer->run, &unknown, run);
}

/* Ends the writing. What the file has up to now can be used. */
static void
writer_fail(struct stn_log_writer *writer)
{
	fprintf(stderr,
		"sateen: can't write %s: %s; from now on node %" PRIu32
		" keeps no results\n",
		writer->path, strerror(errno), writer->header.rank);
	writer->failed = true;
}

static bool
write_all(int fd, const unsigned char *bytes, size_t size)
{
	while (size) {
		ssize_t written = write(fd, bytes, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return false;
		bytes += written;
		size -= (size_t)written;
	}
	return true;
}

/*
 * The lock says that the log is being written. A file system without locks has
 * logs all the same.
 */
static bool
create_file(struct stn_log_writer *writer)
{
	unsigned char header[STN_LOG_HEADER_BYTES];

	writer->header.run = writer->run;
	snprintf(writer->path, sizeof(writer->path),
		 "%s/" PREFIX "%016" PRIx64 "-%" PRIu32 SUFFIX,
		 writer->directory, writer->header.run, writer->header.rank);
	writer->fd =
		open(writer->path,
		     O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
	if (writer->fd < 0)
		return false;
	flock(writer->fd, LOCK_EX | LOCK_NB);
	stn_log_header_write(&writer->header, header);
	return write_all(writer->fd, header, sizeof(header));
}

static struct stn_log_items
writer_empty(struct stn_log_writer *writer)
{
	struct stn_log_items items = STAILQ_HEAD_INITIALIZER(items);

	pthread_mutex_lock(&writer->lock);
	STAILQ_CONCAT(&items, &writer->items);
	writer->queued = 0;
	pthread_mutex_unlock(&writer->lock);
	return items;
}

static void
free_items(struct stn_log_items *items)
{
	struct stn_log_item *item;

	while ((item = STAILQ_FIRST(items))) {
		STAILQ_REMOVE_HEAD(items, link);
		free(item);
	}
}

static bool
write_items(struct stn_log_writer *writer, const struct stn_log_items *items)
{
	const struct stn_log_item *item;

	if (writer->fd < 0 && !create_file(writer))
		return false;
	STAILQ_FOREACH (item, items, link)
		if (!write_all(writer->fd, item->bytes, item->size))
			return false;
	/* A pipe or a device cannot be synchronised, and need not. */
	return !fdatasync(writer->fd) || errno == EINVAL;
}

static bool
has_items(struct stn_log_writer *writer)
{
	bool has;

	pthread_mutex_lock(&writer->lock);
	has = !STAILQ_EMPTY(&writer->items);
	pthread_mutex_unlock(&writer->lock);
	return has;
}

void
stn_log_writer_sync(struct stn_log_writer *writer)
{
	struct stn_log_items items;

	if (!has_items(writer))
		return;
	if (!writer->run && writer->waits++ < WAITS)
		return;
	stn_log_writer_name_run(writer, stn_log_random());
	items = writer_empty(writer);
	if (!writer->failed && !write_items(writer, &items))
		writer_fail(writer);
	free_items(&items);
}

static void
last_sync(struct stn_log_writer *writer)
{
	writer->waits = WAITS;
	if (!writer->drop)
		stn_log_writer_sync(writer);
}

static void *
writer_main(void *arg)
{
	struct stn_log_writer *writer = arg;
	struct pollfd stop = { writer->stop, POLLIN, 0 };

	while (poll(&stop, 1, PERIOD_MS) <= 0)
		stn_log_writer_sync(writer);
	last_sync(writer);
	return NULL;
}

/*
 * All signals are blocked in the thread, also SIGXFSZ, so that a limit for the
 * size of files is an error like a full disk.
 */
static enum stn_err
start_thread(struct stn_log_writer *writer)
{
	sigset_t all, before;
	int err;

	writer->stop = eventfd(0, EFD_CLOEXEC);
	if (writer->stop < 0)
		return STN_IO;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&writer->thread, NULL, writer_main, writer);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err)
		close(writer->stop);
	writer->threaded = !err;
	return err ? STN_IO : STN_OK;
}

enum stn_err
stn_log_writer_start(struct stn_log_writer *writer, const char *directory,
		     const struct stn_log_header *header, bool threaded)
{
	memset(writer, 0, sizeof(*writer));
	snprintf(writer->directory, sizeof(writer->directory), "%s", directory);
	writer->header = *header;
	writer->fd = -1;
	STAILQ_INIT(&writer->items);
	pthread_mutex_init(&writer->lock, NULL);
	return threaded ? start_thread(writer) : STN_OK;
}

bool
stn_log_writer_add(struct stn_log_writer *writer, struct stn_log_item *item)
{
	bool room = false;

	pthread_mutex_lock(&writer->lock);
	if (!writer->failed &&
	    writer->queued + item->size <= STN_LOG_QUEUE_BYTES) {
		STAILQ_INSERT_TAIL(&writer->items, item, link);
		writer->queued += item->size;
		room = true;
	}
	pthread_mutex_unlock(&writer->lock);
	if (!room)
		free(item);
	return room;
}

void
stn_log_writer_stop(struct stn_log_writer *writer, bool drop)
{
	struct stn_log_items items;

	writer->drop = drop;
	if (writer->threaded) {
		eventfd_write(writer->stop, 1);
		pthread_join(writer->thread, NULL);
		close(writer->stop);
		writer->threaded = false;
	}
	last_sync(writer);
	items = writer_empty(writer);
	free_items(&items);
	if (writer->fd >= 0)
		close(writer->fd);
	writer->fd = -1;
}

void
stn_log_writer_remove(const struct stn_log_writer *writer)
{
	if (*writer->path)
		unlink(writer->path);
}

void
stn_log_remove_idle(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (!flock(fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK)
		unlink(path);
	close(fd);
}

void
stn_log_remove_run(const char *directory, uint64_t run)
{
	char prefix[32], path[STN_LOG_PATH_BYTES + NAME_MAX];
	const struct dirent *entry;
	DIR *files = opendir(directory);

	snprintf(prefix, sizeof(prefix), PREFIX "%016" PRIx64 "-", run);
	while (files && (entry = readdir(files))) {
		if (strncmp(entry->d_name, prefix, strlen(prefix)) ||
		    !stn_log_is_name(entry->d_name))
			continue;
		snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name);
		unlink(path);
	}
	if (files)
		closedir(files);
}
