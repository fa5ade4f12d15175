#include "transport/wireup/wireup_frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static enum stn_err
write_all(int fd, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size) {
		ssize_t sent = send(fd, at, size, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return STN_LOST;
		at += sent;
		size -= (size_t)sent;
	}
	return STN_OK;
}

enum stn_err
stn_frame_write(int fd, enum stn_frame_type type, const void *bytes,
		size_t size)
{
	struct stn_frame_head head = { type, (uint32_t)size };
	enum stn_err err = write_all(fd, &head, sizeof(head));

	return err ? err : write_all(fd, bytes, size);
}

enum stn_err
stn_frame_check(const struct stn_frame_head *head)
{
	const size_t miss = sizeof(struct stn_frame_miss);

	switch (head->type) {
	case STN_FRAME_CARD:
		return head->size <= STN_CARD_BYTES ? STN_OK : STN_MALFORMED;
	case STN_FRAME_ARRIVED:
		return head->size == 0 ? STN_OK : STN_MALFORMED;
	case STN_FRAME_ABORT:
		return head->size < sizeof(struct stn_why) ? STN_OK
							   : STN_MALFORMED;
	case STN_FRAME_MISS:
		return head->size >= miss && head->size - miss <
						     sizeof(struct stn_why)
			       ? STN_OK
			       : STN_MALFORMED;
	}
	return STN_MALFORMED;
}

enum stn_err
stn_frame_cards(const unsigned char *body, size_t size, struct stn_card *cards,
		uint32_t nodes)
{
	size_t at = 0;

	for (uint32_t i = 0; i < nodes; i++) {
		uint32_t bytes;

		if (size - at < sizeof(bytes))
			return STN_MALFORMED;
		memcpy(&bytes, body + at, sizeof(bytes));
		at += sizeof(bytes);
		if (size - at < bytes)
			return STN_MALFORMED;
		cards[i] = (struct stn_card){ body + at, bytes };
		at += bytes;
	}
	return at == size ? STN_OK : STN_MALFORMED;
}

/* Reads what is still missing of the head, or of the body. */
static enum stn_err
read_some(struct stn_frame_in *in, int fd)
{
	size_t head = sizeof(in->head);
	bool headless = in->got < head;
	char *at = headless ? (char *)&in->head + in->got
			    : (char *)in->body + (in->got - head);
	size_t end = headless ? head : head + in->head.size;
	ssize_t got = read(fd, at, end - in->got);

	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return STN_OK;
	if (got <= 0)
		return STN_LOST;
	in->got += (size_t)got;
	return STN_OK;
}

enum stn_err
stn_frame_read(struct stn_frame_in *in, int fd)
{
	enum stn_err err = read_some(in, fd);

	if (err || in->got < sizeof(in->head) || in->body)
		return err;
	err = stn_frame_check(&in->head);
	if (err)
		return err;
	in->body = malloc(in->head.size + 1);
	return in->body ? STN_OK : STN_NO_MEMORY;
}

bool
stn_frame_whole(const struct stn_frame_in *in)
{
	return in->body && in->got == sizeof(in->head) + in->head.size;
}

uint32_t
stn_frame_missed(const struct stn_frame_in *in, struct stn_why *why)
{
	struct stn_frame_miss miss;

	memcpy(&miss, in->body, sizeof(miss));
	stn_because(why, STN_LOST, "%.*s", (int)(in->head.size - sizeof(miss)),
		    (const char *)in->body + sizeof(miss));
	return miss.missed;
}

void
stn_frame_drop(struct stn_frame_in *in)
{
	free(in->body);
	*in = (struct stn_frame_in){ .got = 0 };
}
