/*
 * keep_flush.c: a node that leaves has its log written, without a wait for the
 * next second, and does not wait for a disk that takes nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sateen.h>
#include "steal/keep_writer.h"
#include "tests/lone_node.h"
#include "tests/tap.h"

#define RUN 5
#define BYTES 16

STN_TASK(int, nothing, int, n)
{
	return n;
}

static uint64_t
zero(const struct stn_transport *transport)
{
	(void)transport;
	return 0;
}

static const struct stn_transport_ops ops = { .now = zero };

static const struct stn_log_header header = { .rank = 3 };
static char directory[] = "/tmp/sateen-flush-XXXXXX";
static struct stn_log_writer writer;

static void
start(const char *where)
{
	struct stn_node *node = lone_node(&ops, &nothing_task, NULL);

	if (stn_log_writer_start(&writer, node, where, &header))
		abort();
}

static void
end(void)
{
	stn_log_writer_stop(&writer, false);
	stn_log_writer_remove(&writer);
	stn_log_writer_fini(&writer);
}

static void
add(void)
{
	const struct stn_log_entry entry = { .size = BYTES };
	size_t space = stn_log_entry_space(BYTES);
	struct stn_log_item *item = calloc(1, sizeof(*item) + space);

	if (!item)
		abort();
	item->size = space;
	stn_log_entry_write(&entry, item->bytes);
	if (!stn_log_writer_add(&writer, item))
		abort();
}

/* Asks as often as a node that leaves does, until the alarm. */
static void
flush(void)
{
	while (!stn_log_writer_flush(&writer))
		usleep(1000);
}

/* Has the log so many entries on disk now? */
static bool
has(size_t entries)
{
	struct stat status;

	return !stat(writer.results.path, &status) &&
	       (size_t)status.st_size ==
		       STN_LOG_HEADER_BYTES +
			       entries * stn_log_entry_space(BYTES);
}

int
main(void)
{
	tap_begin();
	if (!mkdtemp(directory))
		abort();
	start(directory);
	tap_ok(stn_log_writer_flush(&writer), "there is nothing to write");
	stn_log_writer_name_run(&writer, RUN);
	add();
	add();
	flush();
	tap_ok(has(2), "all results are on disk when a flush has ended");
	add();
	flush();
	tap_ok(has(3), "so are further ones");
	end();

	start(directory);
	add();
	flush();
	tap_ok(has(1), "also if the number of the run is not known yet");
	end();
	rmdir(directory);

	start("/proc/nowhere");
	add();
	flush();
	tap_ok(!has(1), "a flush ends if nothing can be written");
	end();
	return tap_end();
}
