#include "transport/wan/line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "transport/wan/segment.h"

bool
stn_line_init(struct stn_line *line, int fd,
	      const struct stn_line_cipher *cipher, void *state)
{
	*line = (struct stn_line){ .fd = fd, .cipher = cipher, .state = state };
	line->in = malloc(STN_LINE_IN);
	line->out = malloc(STN_LINE_OUT);
	line->out_room = STN_LINE_OUT;
	if (line->in && line->out)
		return true;
	stn_line_fini(line);
	return false;
}

void
stn_line_fini(struct stn_line *line)
{
	if (line->cipher)
		line->cipher->destroy(line->state);
	if (line->fd >= 0)
		close(line->fd);
	free(line->in);
	free(line->out);
	line->cipher = NULL;
	line->in = line->out = NULL;
	line->fd = -1;
}

static ssize_t
plain_result(ssize_t bytes)
{
	if (bytes < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	return bytes;
}

static ssize_t
read_some(struct stn_line *line, void *bytes, size_t size)
{
	ssize_t got;

	if (line->cipher)
		return line->cipher->read(line->state, bytes, size);
	got = recv(line->fd, bytes, size, 0);
	return got ? plain_result(got) : -1;
}

static ssize_t
write_some(struct stn_line *line, const void *bytes, size_t size)
{
	if (line->cipher)
		return line->cipher->write(line->state, bytes, size);
	return plain_result(send(line->fd, bytes, size, MSG_NOSIGNAL));
}

/* Of a plain socket, a read that leaves room has got all there was. */
static bool
is_dry(struct stn_line *line, ssize_t got, size_t room)
{
	if (got <= 0)
		return true;
	return !line->cipher &&
	       ((size_t)got < room || ++line->reads == STN_LINE_READS);
}

/* A cipher gives a record at a time: so until nothing comes. */
bool
stn_line_read(struct stn_line *line)
{
	bool came = false;

	if (line->in_from) {
		line->in_to -= line->in_from;
		memmove(line->in, line->in + line->in_from, line->in_to);
		line->in_from = 0;
	}
	line->dry = line->lost;
	while (!line->dry && line->in_to < STN_LINE_IN) {
		size_t room = STN_LINE_IN - line->in_to;
		ssize_t got = read_some(line, line->in + line->in_to, room);

		line->lost = got < 0;
		line->dry = is_dry(line, got, room);
		if (got > 0)
			line->in_to += (size_t)got;
		came = came || got > 0;
	}
	if (line->dry)
		line->reads = 0;
	return came;
}

bool
stn_line_has_room(const struct stn_line *line)
{
	return stn_line_waiting(line) + STN_SEGMENT_BYTES <= STN_LINE_OUT;
}

size_t
stn_line_write(struct stn_line *line, const void *bytes, size_t size)
{
	size_t done = 0;

	while (!line->lost && done < size) {
		ssize_t sent = write_some(line, (const char *)bytes + done,
					  size - done);

		line->lost = sent < 0;
		if (sent <= 0)
			break;
		done += (size_t)sent;
	}
	return done;
}

static bool
make_room(struct stn_line *line, size_t size)
{
	size_t waiting = stn_line_waiting(line), room = line->out_room;
	unsigned char *out;

	if (line->out_from) {
		memmove(line->out, line->out + line->out_from, waiting);
		line->out_from = 0;
		line->out_to = waiting;
	}
	while (waiting + size > room)
		room *= 2;
	if (room == line->out_room)
		return true;
	out = realloc(line->out, room);
	if (!out)
		return false;
	line->out = out;
	line->out_room = room;
	return true;
}

void
stn_line_put(struct stn_line *line, const void *bytes, size_t size)
{
	if (line->lost || !size)
		return;
	if (line->out_to + size > line->out_room && !make_room(line, size)) {
		line->lost = true;
		return;
	}
	memcpy(line->out + line->out_to, bytes, size);
	line->out_to += size;
}

void
stn_line_flush(struct stn_line *line)
{
	line->out_from += stn_line_write(line, line->out + line->out_from,
					 stn_line_waiting(line));
	if (line->out_from == line->out_to)
		line->out_from = line->out_to = 0;
}
