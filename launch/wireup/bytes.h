/*
 * bytes.h: a buffer between descriptors: bytes are added at its end and removed
 * at its front. All zeros: an empty buffer. One thread.
 */
#ifndef STN_LAUNCH_WIREUP_BYTES_H
#define STN_LAUNCH_WIREUP_BYTES_H

#include <stdbool.h>
#include <stddef.h>

#include "transport/error.h"

#define STN_BYTES_READ 65536 /* read at a time, at most */
#define STN_LINE_BYTES 32768 /* a longer line of output may be split */

struct stn_bytes {
	unsigned char *data;
	size_t start, end, room; /* bytes from @start to @end are present */
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

/* stn_bytes_add: adds bytes at the end. False: no memory; nothing is added. */
bool stn_bytes_add(struct stn_bytes *bytes, const void *data, size_t size);

/*
 * stn_bytes_lines: the number of bytes of complete lines in the first @most
 * bytes.
 */
size_t stn_bytes_lines(const struct stn_bytes *bytes, size_t most);

/* stn_bytes_drop: removes the first @size bytes. */
void stn_bytes_drop(struct stn_bytes *bytes, size_t size);

/*
 * stn_bytes_read: reads from @fd once, STN_BYTES_READ bytes at most, and adds
 * the bytes. Blocks as @fd does.
 * STN_OK, even if a non-blocking @fd has no bytes now; STN_LOST at the end of
 * file or after an error; STN_NO_MEMORY.
 */
STN_CHECKED enum stn_err stn_bytes_read(struct stn_bytes *bytes, int fd);

/*
 * stn_bytes_write: writes to @fd once, @most bytes at most, and removes the
 * written bytes. STN_OK, even if a non-blocking @fd takes no bytes now;
 * STN_LOST after an error, with errno.
 */
STN_CHECKED enum stn_err stn_bytes_write(struct stn_bytes *bytes, int fd,
					 size_t most);

/* stn_bytes_fini: frees the memory; the buffer is empty. */
void stn_bytes_fini(struct stn_bytes *bytes);

#endif
