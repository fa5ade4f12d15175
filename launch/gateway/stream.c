#include "launch/gateway/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "transport/far/segment.h"

bool
stn_stream_init(struct stn_stream *stream, int fd,
		const struct stn_stream_cipher *cipher, void *state)
{
	*stream = (struct stn_stream){ .fd = fd,
				       .cipher = cipher,
				       .state = state };
	stream->in = malloc(STN_STREAM_IN);
	if (!stream->in)
		stn_stream_fini(stream);
	return stream->in;
}

void
stn_stream_fini(struct stn_stream *stream)
{
	if (stream->cipher)
		stream->cipher->destroy(stream->state);
	if (stream->fd >= 0)
		close(stream->fd);
	free(stream->in);
	stn_bytes_fini(&stream->out);
	stream->cipher = NULL;
	stream->in = NULL;
	stream->in_from = stream->in_to = 0;
	stream->fd = -1;
}

static ssize_t
plain_result(ssize_t bytes)
{
	if (bytes < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	return bytes;
}

static ssize_t
stream_read_some(struct stn_stream *stream, void *bytes, size_t size)
{
	ssize_t got;

	if (stream->cipher)
		return stream->cipher->read(stream->state, bytes, size);
	got = recv(stream->fd, bytes, size, 0);
	return got ? plain_result(got) : -1;
}

static ssize_t
stream_write_some(struct stn_stream *stream, const void *bytes, size_t size)
{
	if (stream->cipher)
		return stream->cipher->write(stream->state, bytes, size);
	return plain_result(send(stream->fd, bytes, size, MSG_NOSIGNAL));
}

/* A read from a plain socket that leaves room has taken all there was. */
static bool
is_drained(struct stn_stream *stream, ssize_t got, size_t room)
{
	if (got <= 0)
		return true;
	return !stream->cipher &&
	       ((size_t)got < room || ++stream->reads == STN_STREAM_READS);
}

/*
 * A cipher returns one record at a time, so a stream with a cipher is read
 * until nothing comes.
 */
bool
stn_stream_read(struct stn_stream *stream)
{
	bool came = false;

	if (stream->in_from) {
		stream->in_to -= stream->in_from;
		memmove(stream->in, stream->in + stream->in_from,
			stream->in_to);
		stream->in_from = 0;
	}
	stream->drained = stream->lost;
	while (!stream->drained && stream->in_to < STN_STREAM_IN) {
		size_t room = STN_STREAM_IN - stream->in_to;
		ssize_t got = stream_read_some(
			stream, stream->in + stream->in_to, room);

		stream->lost = got < 0;
		stream->drained = is_drained(stream, got, room);
		if (got > 0)
			stream->in_to += (size_t)got;
		came = came || got > 0;
	}
	if (stream->drained)
		stream->reads = 0;
	return came;
}

bool
stn_stream_has_room(const struct stn_stream *stream)
{
	return stn_stream_unsent(stream) + STN_SEGMENT_BYTES <= STN_STREAM_OUT;
}

size_t
stn_stream_write(struct stn_stream *stream, const void *bytes, size_t size)
{
	size_t done = 0;

	while (!stream->lost && done < size) {
		ssize_t sent = stream_write_some(
			stream, (const char *)bytes + done, size - done);

		stream->lost = sent < 0;
		if (sent <= 0)
			break;
		done += (size_t)sent;
	}
	return done;
}

void
stn_stream_put(struct stn_stream *stream, const void *bytes, size_t size)
{
	if (!stream->lost && !stn_bytes_add(&stream->out, bytes, size))
		stream->lost = true;
}

void
stn_stream_flush(struct stn_stream *stream)
{
	stn_bytes_drop(&stream->out,
		       stn_stream_write(stream, stn_bytes_front(&stream->out),
					stn_stream_unsent(stream)));
}
