/*
 * keep_writer.h: writes the logs of a node (keep_log.h), in a thread of its
 * own, because a disk may take seconds. Once a second all entries that have
 * been added are written, and the files are synchronised. A file is made when
 * there is something to write. Besides the log of results there may be further
 * files, each for one version of an array.
 *
 *	any thread	add, name_run, file_*, done,	at any time between
 *			flush				start and stop
 *	one thread	start, stop, remove, fini
 *
 * The first error ends the writing: there is a line on stderr, and the entries
 * that are added from then on are dropped.
 */
#ifndef STN_STEAL_KEEP_WRITER_H
#define STN_STEAL_KEEP_WRITER_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/queue.h>

#include "steal/keep_log.h"

#define STN_LOG_PATH_BYTES (1024 + 96)
#define STN_LOG_QUEUE_BYTES (256ull << 20) /* results not written yet */

struct stn_node;

/* The thread, or the caller of sync, owns all but the link. */
struct stn_log_file {
	SLIST_ENTRY(stn_log_file) link;
	uint64_t kind; /* as in the header */
	int fd;	       /* -1: there is no file yet */
	bool unsynced;
	char name[48]; /* of a further file: behind the rank */
	char path[STN_LOG_PATH_BYTES];
};

SLIST_HEAD(stn_log_files, stn_log_file);

/* An entry that is to be written. */
struct stn_log_item {
	STAILQ_ENTRY(stn_log_item) link;

	/* Of a further file: an entry whose outputs are not in the item. */
	struct stn_log_file *file; /* NULL: it is a result */
	struct stn_log_entry entry;
	bool removes;	  /* there is no entry: the file is to be removed */
	bool written;	  /* and synchronised; set before it is done */
	uint64_t took_ns; /* to write it */
	void (*release)(struct stn_log_item *item); /* frees what it has */
	void *arg;

	size_t size; /* of the bytes of a result; a multiple of 8 */
	_Alignas(8) unsigned char bytes[];
};

STAILQ_HEAD(stn_log_items, stn_log_item);

struct stn_log_writer {
	const struct stn_node *node;
	char directory[1024];
	struct stn_log_header header;
	_Atomic(uint64_t) run; /* 0: not known yet */
	_Atomic(bool) failed;

	pthread_mutex_t lock;
	struct stn_log_items items; /* under the lock, with their bytes */
	size_t queued;
	bool writing; /* items that are not in the list any more; likewise */
	struct stn_log_items done;  /* of further files; under the lock */
	struct stn_log_files files; /* further ones; inserted under the lock */

	/* Of the thread, or of the caller of sync. */
	struct stn_log_file results;
	int waits; /* how often the run had no number */

	/*
	 * Read by the thread when it wakes up, which orders them: the write of
	 * the eventfd pairs with its read.
	 */
	_Atomic(bool) hurried; /* flush was called */
	_Atomic(bool) stops;
	bool drop; /* the last entries are not written */

	bool threaded;
	pthread_t thread;
	int wake; /* an eventfd that wakes the thread */
};

/*
 * stn_log_writer_start: @directory exists. In virtual time there is no thread,
 * and the caller calls sync. Returns STN_OK, or STN_IO.
 * stn_log_writer_stop: writes what has been added, unless @drop, and closes the
 * files. The writer may be stopped twice.
 * stn_log_writer_remove: removes the files of a writer that has stopped.
 * stn_log_writer_fini: the writer has stopped: frees what it has.
 */
STN_CHECKED enum stn_err
stn_log_writer_start(struct stn_log_writer *writer, const struct stn_node *node,
		     const char *directory,
		     const struct stn_log_header *header);
void stn_log_writer_stop(struct stn_log_writer *writer, bool drop);
void stn_log_writer_remove(const struct stn_log_writer *writer);
void stn_log_writer_fini(struct stn_log_writer *writer);

/*
 * stn_log_writer_name_run: the number of the run, which is part of the file's
 * name. Without a number, the writer chooses one after some seconds.
 */
void stn_log_writer_name_run(struct stn_log_writer *writer, uint64_t run);

/* stn_log_random: a random number that is not 0. */
uint64_t stn_log_random(void);

/*
 * stn_log_writer_add: @item is complete, malloc'ed, and now the writer's.
 * Returns false if it was freed or released instead, because the writer has
 * failed, or is too slow.
 */
bool stn_log_writer_add(struct stn_log_writer *writer,
			struct stn_log_item *item);

/*
 * stn_log_file_create: a further file, in whose name @name is, for entries that
 * are added with it. NULL: no memory.
 * stn_log_file_remove: removes it behind the entries that were added, and frees
 * @file.
 * stn_log_writer_done: an item of a further file that has been written, or
 * couldn't be. NULL: there is none. The caller releases it.
 */
struct stn_log_file *stn_log_file_create(struct stn_log_writer *writer,
					 const char *name);
void stn_log_file_remove(struct stn_log_writer *writer,
			 struct stn_log_file *file);
struct stn_log_item *stn_log_writer_done(struct stn_log_writer *writer);

/*
 * stn_log_writer_sync: writes what has been added. If the writer has a thread,
 * only that thread calls it.
 * stn_log_writer_flush: whether all that has been added is on disk, or can't be
 * written. If not, the thread writes it now, under a number of its own if that
 * of the run is not known. Never waits, unless there is no thread.
 */
void stn_log_writer_sync(struct stn_log_writer *writer);
bool stn_log_writer_flush(struct stn_log_writer *writer);

/*
 * stn_log_remove_run: removes the logs of the run @run in @directory, of all
 * nodes.
 * stn_log_remove_idle: removes the log @path, unless a node still writes it.
 */
void stn_log_remove_run(const char *directory, uint64_t run);
void stn_log_remove_idle(const char *path);

/* stn_log_is_name: whether a file of that name is a log. */
bool stn_log_is_name(const char *name);

#endif
