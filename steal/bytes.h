/*
 * bytes.h: bytes on their way through a process, from one descriptor to
 * another; all zeros: none. One thread.
 */
#ifndef STN_STEAL_BYTES_H
#define STN_STEAL_BYTES_H

#include <stdbool.h>
#include <stddef.h>

#include "transport/error.h"

struct stn_bytes {
	unsigned char *data;
	size_t start, end, room; /* those from start to end are there */
};

static inline size_t
stn_bytes_count(const struct stn_bytes *bytes)
{
	return bytes->end - bytes->start;
}

static inline const unsigned char *
stn_bytes_front(const struct stn_bytes *bytes)
{
	return bytes->data + bytes->start;
}

/* stn_bytes_add: behind those that are there. False: no memory, and none is. */
bool stn_bytes_add(struct stn_bytes *bytes, const void *data, size_t size);

/* stn_bytes_drop: the first @size are gone. */
void stn_bytes_drop(struct stn_bytes *bytes, size_t size);

/*
 * stn_bytes_read: adds some of what @fd has. STN_OK, also if it has nothing
 * now; STN_LOST at its end, or if it can't be read; STN_NO_MEMORY.
 */
STN_CHECKED enum stn_err stn_bytes_read(struct stn_bytes *bytes, int fd);

/*
 * stn_bytes_write: writes the first of them, @most at most, to @fd, as far as
 * it takes them. STN_OK, or STN_LOST if nobody will read them.
 */
STN_CHECKED enum stn_err stn_bytes_write(struct stn_bytes *bytes, int fd,
					 size_t most);

void stn_bytes_fini(struct stn_bytes *bytes);

#endif
