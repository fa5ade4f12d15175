#include "transport/wireup/wireup_frame.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

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
	switch (head->type) {
	case STN_FRAME_CARD:
		return head->size <= STN_CARD_BYTES ? STN_OK : STN_MALFORMED;
	case STN_FRAME_ARRIVED:
		return head->size == 0 ? STN_OK : STN_MALFORMED;
	case STN_FRAME_ABORT:
		return head->size < sizeof(struct stn_why) ? STN_OK
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
