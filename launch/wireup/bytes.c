#include "launch/wireup/bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Makes room for @size bytes behind the present ones. */
static bool
bytes_make_room(struct stn_bytes *bytes, size_t size)
{
	size_t count = stn_bytes_count(bytes), room = bytes->room;
	unsigned char *data;

	if (bytes->start && bytes->end + size > room) {
		memmove(bytes->data, bytes->data + bytes->start, count);
		bytes->start = 0;
		bytes->end = count;
	}
	if (bytes->end + size <= room)
		return true;
	room = 2 * (bytes->end + size);
	data = realloc(bytes->data, room);
	if (!data)
		return false;
	bytes->data = data;
	bytes->room = room;
	return true;
}

bool
stn_bytes_add(struct stn_bytes *bytes, const void *data, size_t size)
{
	if (!size)
		return true;
	if (!bytes_make_room(bytes, size))
		return false;
	memcpy(bytes->data + bytes->end, data, size);
	bytes->end += size;
	return true;
}

size_t
stn_bytes_lines(const struct stn_bytes *bytes, size_t most)
{
	size_t count = stn_bytes_count(bytes);
	const unsigned char *front = stn_bytes_front(bytes), *last;

	count = count < most ? count : most;
	last = count ? memrchr(front, '\n', count) : NULL;
	return last ? (size_t)(last - front) + 1 : 0;
}

void
stn_bytes_drop(struct stn_bytes *bytes, size_t size)
{
	bytes->start += size;
	if (bytes->start == bytes->end)
		bytes->start = bytes->end = 0;
}

static bool
is_passing(int error)
{
	return error == EINTR || error == EAGAIN;
}

enum stn_err
stn_bytes_read(struct stn_bytes *bytes, int fd)
{
	ssize_t got;

	if (!bytes_make_room(bytes, STN_BYTES_READ))
		return STN_NO_MEMORY;
	got = read(fd, bytes->data + bytes->end, STN_BYTES_READ);
	if (got < 0 && is_passing(errno))
		return STN_OK;
	if (got <= 0)
		return STN_LOST;
	bytes->end += (size_t)got;
	return STN_OK;
}

enum stn_err
stn_bytes_write(struct stn_bytes *bytes, int fd, size_t most)
{
	size_t count = stn_bytes_count(bytes);
	ssize_t put;

	if (!count)
		return STN_OK;
	put = write(fd, stn_bytes_front(bytes), count < most ? count : most);
	if (put < 0)
		return is_passing(errno) ? STN_OK : STN_LOST;
	stn_bytes_drop(bytes, (size_t)put);
	return STN_OK;
}

void
stn_bytes_fini(struct stn_bytes *bytes)
{
	free(bytes->data);
	*bytes = (struct stn_bytes){ .data = NULL };
}
