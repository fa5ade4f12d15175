/*
 * line.h: a connection that never blocks, with a buffer for each direction;
 * plain, or with a cipher over it. One thread.
 */
#ifndef STN_TRANSPORT_WAN_LINE_H
#define STN_TRANSPORT_WAN_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define STN_LINE_IN 65536  /* bytes that are read ahead */
#define STN_LINE_OUT 65536 /* that may wait, but for what must not be lost */
#define STN_LINE_READS 16  /* before others have a turn */

/*
 * What stands between a line and its socket. Both calls return how many bytes
 * they took or gave, 0 for none now, -1 if the connection is over. A read gives
 * 0, too, after so many of the socket that others are to have a turn; but not
 * while it holds back anything that it has read.
 */
struct stn_line_cipher {
	ssize_t (*read)(void *state, void *bytes, size_t size);
	ssize_t (*write)(void *state, const void *bytes, size_t size);
	void (*destroy)(void *state);
};

struct stn_line {
	int fd;
	const struct stn_line_cipher *cipher; /* NULL: plain */
	void *state;			      /* the cipher's, which it owns */
	unsigned char *in, *out;
	size_t in_from, in_to, out_from, out_to, out_room;
	unsigned reads; /* since it was dry */
	bool dry;	/* the socket has no more, or others have a turn */
	bool lost;
};

/*
 * stn_line_init: takes @fd, which doesn't block, and @state over; false if
 * there is no memory. stn_line_fini closes both.
 */
bool stn_line_init(struct stn_line *line, int fd,
		   const struct stn_line_cipher *cipher, void *state);
void stn_line_fini(struct stn_line *line);

/*
 * stn_line_read: reads what has come, as far as there is room. True if
 * something came. If the connection is over, @lost is set. When @dry, the next
 * read is for when the socket tells of more.
 */
bool stn_line_read(struct stn_line *line);

/* What has been read and not been taken, and how much of it; and taking it. */
static inline const unsigned char *
stn_line_there(const struct stn_line *line)
{
	return line->in + line->in_from;
}

static inline size_t
stn_line_there_bytes(const struct stn_line *line)
{
	return line->in_to - line->in_from;
}

static inline void
stn_line_take(struct stn_line *line, size_t bytes)
{
	line->in_from += bytes;
}

/* stn_line_waiting: bytes that have been put and not been written. */
static inline size_t
stn_line_waiting(const struct stn_line *line)
{
	return line->out_to - line->out_from;
}

/* stn_line_has_room: may a segment still be put? */
bool stn_line_has_room(const struct stn_line *line);

/*
 * stn_line_put: bytes to be written; the buffer grows if it must. Without
 * memory, the line is lost.
 */
void stn_line_put(struct stn_line *line, const void *bytes, size_t size);

/* stn_line_flush: writes what the socket takes. */
void stn_line_flush(struct stn_line *line);

/*
 * stn_line_write: writes bytes from where they lie, on a line where none wait.
 * Returns how many the socket has taken; the rest is to be put, before anything
 * else is, as a cipher may have seen it already.
 */
size_t stn_line_write(struct stn_line *line, const void *bytes, size_t size);

#endif
