#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "launch/gateway/gateway_private.h"

struct broadcast *
gateway_broadcast_create(struct gateway *gateway,
			 enum stn_wireup_frame_type type, size_t size)
{
	struct stn_wireup_head head = { type, 0, (uint32_t)size };
	struct broadcast *broadcast =
		malloc(sizeof(*broadcast) + sizeof(head) + size);

	if (!broadcast) {
		gateway_fail(gateway, "out of memory");
		return NULL;
	}
	*broadcast =
		(struct broadcast){ .holders = 1, .size = sizeof(head) + size };
	memcpy(broadcast->bytes, &head, sizeof(head));
	return broadcast;
}

void
gateway_broadcast_drop(struct broadcast *broadcast)
{
	if (broadcast && !--broadcast->holders)
		free(broadcast);
}

void
gateway_broadcast_begin(struct broadcast_progress *progress,
			struct broadcast *broadcast)
{
	broadcast->holders++;
	progress->broadcast = broadcast;
	progress->sent = 0;
}

void
gateway_broadcast_send(struct broadcast_progress *progress, int fd)
{
	const struct broadcast *broadcast = progress->broadcast;

	while (progress->sent < broadcast->size) {
		ssize_t sent =
			send(fd, broadcast->bytes + progress->sent,
			     broadcast->size - progress->sent, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0 && errno == EAGAIN)
			return;
		if (sent < 0)
			break;
		progress->sent += (size_t)sent;
	}
	gateway_broadcast_drop(progress->broadcast);
	progress->broadcast = NULL;
}
