#include "bench/fabric/path.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/ticks.h"

#define PATIENCE_NS (60 * STN_SECOND_NS)
#define ALIGNMENT 4096

/* Touches the pages, so that no page fault is measured. */
static char *
pages(size_t bytes)
{
	size_t whole = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	char *memory = aligned_alloc(ALIGNMENT, whole ? whole : ALIGNMENT);

	if (memory)
		memset(memory, 0, bytes);
	return memory;
}

enum stn_err
path_init(struct path *path, const struct path_ops *ops,
	  const struct path_opening *opening, struct stn_why *why)
{
	path->ops = ops;
	path->wireup = opening->wireup;
	path->rank = opening->rank;
	path->most = opening->most;
	path->out = pages(opening->most);
	path->in = pages(opening->most);
	path_begin(path);
	if (!path->out || !path->in) {
		path_fini(path);
		return stn_because(why, STN_NO_MEMORY,
				   "no memory for messages of %zu bytes",
				   opening->most);
	}
	for (size_t i = 0; i < opening->most; i++)
		path->out[i] = path_byte(path->rank, i);
	return STN_OK;
}

void
path_fini(struct path *path)
{
	free(path->out);
	free(path->in);
	path->out = path->in = NULL;
}

static enum stn_err
open_on_port(const struct path_ops *ops, const struct path_opening *opening,
	     struct path **path_p, struct stn_why *why)
{
	struct path *path = calloc(1, ops->bytes);
	enum stn_err err;

	if (!path)
		return stn_because(why, STN_NO_MEMORY, "out of memory");
	err = path_init(path, ops, opening, why);
	if (!err) {
		err = ops->open(path, opening, why);
		if (!err) {
			*path_p = path;
			return STN_OK;
		}
		ops->close(path);
	}
	path_fini(path);
	free(path);
	return err;
}

enum stn_err
path_open(const struct path_ops *ops, const struct path_opening *opening,
	  struct path **path_p, struct stn_why *why)
{
	struct path_opening tried = *opening;
	enum stn_err err;

	if (ops->notes && tried.most < PATH_NOTE_BYTES)
		tried.most = PATH_NOTE_BYTES;
	do
		err = open_on_port(ops, &tried, path_p, why);
	while (err == STN_IN_USE && tried.port++ < tried.last_port);
	return err;
}

void
path_close(struct path *path)
{
	path->ops->close(path);
	path_fini(path);
	free(path);
}

enum stn_err
path_join(struct path *path, const unsigned char *address, size_t bytes,
	  struct stn_why *why)
{
	if (path->ops->address_bytes && bytes != path->ops->address_bytes)
		return stn_because(why, STN_MALFORMED, "malformed address");
	return path->ops->connect(path, address, bytes, why);
}

void
path_begin(struct path *path)
{
	path->deadline_ns = ticks_clock_ns() + PATIENCE_NS;
	path->advanced = false;
}

void
path_fail(struct path *path, const char *format, ...)
{
	struct stn_why why;
	char text[300];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	stn_because(&why, STN_IO, "node %u: %s: %s", path->rank,
		    path->ops->name, text);
	stn_wireup_abort(path->wireup, why.text);
	_exit(EXIT_FAILURE);
}

void
path_look(struct path *path)
{
	if (path->advanced)
		path_begin(path);
	if (ticks_clock_ns() > path->deadline_ns)
		path_fail(path, "no message has come for %llu s",
			  PATIENCE_NS / STN_SECOND_NS);
}
