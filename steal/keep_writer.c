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

#include "node/node.h"
#include "transport/write.h"

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

/*
 * Ends the writing. What the log of results has up to now can be used; a
 * further file is of no use if a part of it is missing.
 */
static void
writer_fail(struct stn_log_writer *writer, const struct stn_log_file *file)
{
	fprintf(stderr,
		"sateen: can't write %s: %s; from now on node %" PRIu32
		" keeps no results\n",
		file->path, strerror(errno), writer->header.rank);
	writer->failed = true;
	if (file != &writer->results)
		unlink(file->path);
}

/*
 * A log that is synchronised is of use after a crash of the machine only if its
 * name is on disk, too. A directory that can't be read, or a file system
 * without this call, has logs all the same.
 */
static bool
sync_directory(const char *directory)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool good;

	if (fd < 0)
		return true;
	good = !fsync(fd) || errno == EINVAL;
	close(fd);
	return good;
}

/*
 * The lock says that the log is being written. A file system without locks has
 * logs all the same.
 */
static bool
create_file(struct stn_log_writer *writer, struct stn_log_file *file)
{
	unsigned char bytes[STN_LOG_HEADER_BYTES];
	struct stn_log_header header = writer->header;

	header.run = writer->run;
	header.kind = file->kind;
	snprintf(file->path, sizeof(file->path),
		 "%s/" PREFIX "%016" PRIx64 "-%" PRIu32 "%s" SUFFIX,
		 writer->directory, header.run, header.rank, file->name);
	file->fd = open(file->path,
			O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC,
			0666);
	if (file->fd < 0)
		return false;
	flock(file->fd, LOCK_EX | LOCK_NB);
	stn_log_header_write(&header, bytes);
	return stn_write_all(file->fd, bytes, sizeof(bytes)) &&
	       sync_directory(writer->directory);
}

static struct stn_log_items
writer_empty(struct stn_log_writer *writer)
{
	struct stn_log_items items = STAILQ_HEAD_INITIALIZER(items);

	pthread_mutex_lock(&writer->lock);
	STAILQ_CONCAT(&items, &writer->items);
	writer->queued = 0;
	writer->writing = true;
	pthread_mutex_unlock(&writer->lock);
	return items;
}

static void
item_free(struct stn_log_item *item)
{
	if (item->release)
		item->release(item);
	free(item);
}

static void
free_items(struct stn_log_items *items)
{
	struct stn_log_item *item;

	while ((item = STAILQ_FIRST(items))) {
		STAILQ_REMOVE_HEAD(items, link);
		item_free(item);
	}
}

/* Writes an entry whose outputs are not in the item. */
static bool
write_entry(int fd, const struct stn_log_entry *entry)
{
	unsigned char head[STN_LOG_ENTRY_BYTES], end[STN_LOG_END_BYTES];
	size_t end_bytes = stn_log_entry_frame(entry, head, end);

	return stn_write_all(fd, head, sizeof(head)) &&
	       stn_write_all(fd, entry->outputs, entry->size) &&
	       stn_write_all(fd, end, end_bytes);
}

static bool
write_item(struct stn_log_writer *writer, struct stn_log_item *item)
{
	struct stn_log_file *file = item->file ? item->file : &writer->results;
	uint64_t begin = stn_node_now(writer->node);

	if (file->fd < 0 && !create_file(writer, file))
		return false;
	file->unsynced = true;
	if (!(item->file ? write_entry(file->fd, &item->entry)
			 : stn_write_all(file->fd, item->bytes, item->size)))
		return false;
	item->took_ns = stn_node_now(writer->node) - begin;
	return true;
}

static void
close_file(struct stn_log_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

static void
remove_file(struct stn_log_writer *writer, struct stn_log_file *file)
{
	pthread_mutex_lock(&writer->lock);
	SLIST_REMOVE(&writer->files, file, stn_log_file, link);
	pthread_mutex_unlock(&writer->lock);
	close_file(file);
	if (*file->path)
		unlink(file->path);
	free(file);
}

/* A pipe or a device cannot be synchronised, and need not. */
static void
sync_file(struct stn_log_writer *writer, struct stn_log_file *file)
{
	if (file->unsynced && !writer->failed && fdatasync(file->fd) &&
	    errno != EINVAL)
		writer_fail(writer, file);
	file->unsynced = false;
}

/* Files are only removed by this thread, and inserted before the first. */
static void
sync_files(struct stn_log_writer *writer)
{
	struct stn_log_file *file;

	sync_file(writer, &writer->results);
	pthread_mutex_lock(&writer->lock);
	file = SLIST_FIRST(&writer->files);
	pthread_mutex_unlock(&writer->lock);
	for (; file; file = SLIST_NEXT(file, link))
		sync_file(writer, file);
}

static void
write_items(struct stn_log_writer *writer, const struct stn_log_items *items)
{
	struct stn_log_item *item;

	STAILQ_FOREACH (item, items, link) {
		if (item->removes)
			remove_file(writer, item->file);
		else if (!writer->failed && !write_item(writer, item))
			writer_fail(writer, item->file ? item->file
						       : &writer->results);
	}
	sync_files(writer);
}

/* Items of further files go back to the thread that has added them. */
static void
give_back(struct stn_log_writer *writer, struct stn_log_items *items,
	  bool written)
{
	struct stn_log_item *item;

	while ((item = STAILQ_FIRST(items))) {
		STAILQ_REMOVE_HEAD(items, link);
		if (!item->release) {
			free(item);
			continue;
		}
		item->written = written;
		pthread_mutex_lock(&writer->lock);
		STAILQ_INSERT_TAIL(&writer->done, item, link);
		pthread_mutex_unlock(&writer->lock);
	}
	pthread_mutex_lock(&writer->lock);
	writer->writing = false;
	pthread_mutex_unlock(&writer->lock);
}

struct stn_log_item *
stn_log_writer_done(struct stn_log_writer *writer)
{
	struct stn_log_item *item;

	pthread_mutex_lock(&writer->lock);
	item = STAILQ_FIRST(&writer->done);
	if (item)
		STAILQ_REMOVE_HEAD(&writer->done, link);
	pthread_mutex_unlock(&writer->lock);
	return item;
}

static bool
has_items(struct stn_log_writer *writer)
{
	bool has;

	pthread_mutex_lock(&writer->lock);
	has = !STAILQ_EMPTY(&writer->items) || writer->writing;
	pthread_mutex_unlock(&writer->lock);
	return has;
}

void
stn_log_writer_sync(struct stn_log_writer *writer)
{
	struct stn_log_items items;

	if (!has_items(writer))
		return;
	if (!writer->run && !writer->hurried && writer->waits++ < WAITS)
		return;
	stn_log_writer_name_run(writer, stn_log_random());
	items = writer_empty(writer);
	write_items(writer, &items);
	give_back(writer, &items, !writer->failed);
}

bool
stn_log_writer_flush(struct stn_log_writer *writer)
{
	if (!has_items(writer))
		return true;
	writer->hurried = true;
	if (writer->threaded) {
		eventfd_write(writer->wake, 1);
		return false;
	}
	stn_log_writer_sync(writer);
	return true;
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
	struct pollfd wake = { writer->wake, POLLIN, 0 };
	eventfd_t times;

	while (!writer->stops) {
		stn_log_writer_sync(writer);
		if (poll(&wake, 1, PERIOD_MS) > 0)
			eventfd_read(writer->wake, &times);
	}
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

	writer->wake = eventfd(0, EFD_CLOEXEC);
	if (writer->wake < 0)
		return STN_IO;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&writer->thread, NULL, writer_main, writer);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err)
		close(writer->wake);
	writer->threaded = !err;
	return err ? STN_IO : STN_OK;
}

enum stn_err
stn_log_writer_start(struct stn_log_writer *writer, const struct stn_node *node,
		     const char *directory, const struct stn_log_header *header)
{
	memset(writer, 0, sizeof(*writer));
	writer->node = node;
	snprintf(writer->directory, sizeof(writer->directory), "%s", directory);
	writer->header = *header;
	writer->results.fd = -1;
	STAILQ_INIT(&writer->items);
	STAILQ_INIT(&writer->done);
	SLIST_INIT(&writer->files);
	pthread_mutex_init(&writer->lock, NULL);
	return node->sim ? STN_OK : start_thread(writer);
}

struct stn_log_file *
stn_log_file_create(struct stn_log_writer *writer, const char *name)
{
	struct stn_log_file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	file->kind = STN_LOG_OF_ARRAY;
	file->fd = -1;
	snprintf(file->name, sizeof(file->name), "%s", name);
	pthread_mutex_lock(&writer->lock);
	SLIST_INSERT_HEAD(&writer->files, file, link);
	pthread_mutex_unlock(&writer->lock);
	return file;
}

void
stn_log_file_remove(struct stn_log_writer *writer, struct stn_log_file *file)
{
	struct stn_log_item *item = calloc(1, sizeof(*item));

	if (!item)
		return; /* the file stays */
	item->file = file;
	item->removes = true;
	pthread_mutex_lock(&writer->lock);
	STAILQ_INSERT_TAIL(&writer->items, item, link);
	pthread_mutex_unlock(&writer->lock);
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
		item_free(item);
	return room;
}

void
stn_log_writer_stop(struct stn_log_writer *writer, bool drop)
{
	struct stn_log_items items;
	struct stn_log_file *file;

	writer->drop = drop;
	if (writer->threaded) {
		writer->stops = true;
		eventfd_write(writer->wake, 1);
		pthread_join(writer->thread, NULL);
		close(writer->wake);
		writer->threaded = false;
	}
	last_sync(writer);
	items = writer_empty(writer);
	give_back(writer, &items, false);
	close_file(&writer->results);
	SLIST_FOREACH (file, &writer->files, link)
		close_file(file);
}

void
stn_log_writer_remove(const struct stn_log_writer *writer)
{
	const struct stn_log_file *file;

	if (*writer->results.path)
		unlink(writer->results.path);
	SLIST_FOREACH (file, &writer->files, link)
		if (*file->path)
			unlink(file->path);
}

void
stn_log_writer_fini(struct stn_log_writer *writer)
{
	struct stn_log_file *file;

	free_items(&writer->done);
	free_items(&writer->items); /* added after the writer had stopped */
	while ((file = SLIST_FIRST(&writer->files))) {
		SLIST_REMOVE_HEAD(&writer->files, link);
		free(file);
	}
	pthread_mutex_destroy(&writer->lock);
}

void
stn_log_remove_idle(const char *path)
{
	/* NFS refuses an exclusive lock of a file that is only read. */
	int fd = open(path, O_RDWR | O_CLOEXEC);

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
