/*
 * stream.h: a connection that never blocks, with a buffer for each direction;
 * plain, or encrypted. One thread.
 */
#ifndef STN_LAUNCH_GATEWAY_STREAM_H
#define STN_LAUNCH_GATEWAY_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "launch/wireup/bytes.h"

#define STN_STREAM_IN 65536 /* bytes that are read ahead */
/* Bytes that may wait to be written; gateways' own segments may exceed it. */
#define STN_STREAM_OUT 65536
#define STN_STREAM_READS 16 /* reads before other streams have a turn */

/*
 * Encryption between a stream and its socket. read and write return the number
 * of bytes, 0 if none can be taken now, -1 if the connection is over. After
 * STN_STREAM_READS reads from the socket, read also returns 0, so that other
 * streams have a turn; but not while it holds back bytes that it has read.
 */
struct stn_stream_cipher {
	ssize_t (*read)(void *state, void *bytes, size_t size);
	ssize_t (*write)(void *state, const void *bytes, size_t size);
	void (*destroy)(void *state);
};

struct stn_stream {
	int fd;
	const struct stn_stream_cipher *cipher; /* NULL: plain */
	void *state; /* the cipher's; the stream owns it */
	unsigned char *in;
	size_t in_from, in_to;
	struct stn_bytes out;
	unsigned reads; /* since it was drained */
	bool drained; /* the socket has no more, or other streams have a turn */
	bool lost;
};

/*
 * stn_stream_init: takes over @state and @fd, which must not block. False if
 * there is no memory: both are closed then, too. stn_stream_fini closes both.
 */
bool stn_stream_init(struct stn_stream *stream, int fd,
		     const struct stn_stream_cipher *cipher, void *state);
void stn_stream_fini(struct stn_stream *stream);

/*
 * stn_stream_read: reads as much as there is room for. Returns true if
 * something came. Sets @lost if the connection is over, and @drained if the
 * next read is for the socket's next event.
 */
bool stn_stream_read(struct stn_stream *stream);

/*
 * stn_stream_input: the bytes that were read and not consumed yet; their
 * number; and consuming some.
 */
static inline const unsigned char *
stn_stream_input(const struct stn_stream *stream)
{
	return stream->in + stream->in_from;
}

static inline size_t
stn_stream_input_bytes(const struct stn_stream *stream)
{
	return stream->in_to - stream->in_from;
}

static inline void
stn_stream_consume(struct stn_stream *stream, size_t bytes)
{
	stream->in_from += bytes;
}

/* stn_stream_unsent: bytes that were put and are not written yet. */
static inline size_t
stn_stream_unsent(const struct stn_stream *stream)
{
	return stn_bytes_count(&stream->out);
}

/*
 * stn_stream_has_room: can a segment be put without exceeding STN_STREAM_OUT?
 */
bool stn_stream_has_room(const struct stn_stream *stream);

/*
 * stn_stream_put: appends bytes to be written; grows the buffer if need be. If
 * there is no memory, the stream is lost.
 */
void stn_stream_put(struct stn_stream *stream, const void *bytes, size_t size);

/* stn_stream_flush: writes what the socket takes. */
void stn_stream_flush(struct stn_stream *stream);

/*
 * stn_stream_write: writes bytes from the caller's memory; the stream must have
 * nothing unsent. Returns how many the socket has taken. The caller must put
 * the rest before anything else, as a cipher may already have begun to encrypt
 * it.
 */
size_t stn_stream_write(struct stn_stream *stream, const void *bytes,
			size_t size);

#endif
