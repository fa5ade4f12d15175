#include "launch/wireup/wireup_frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define REASON (sizeof(struct stn_why) - 1) /* bytes of a text at most */

/* For each type of frame: its sender, and the limits of its size. */
static const struct form {
	enum stn_wireup_sender from;
	uint32_t least, most;
} forms[] = {
	[STN_WIREUP_CARD] = { STN_WIREUP_FROM_NODE, 0, STN_CARD_BYTES },
	[STN_WIREUP_ARRIVED] = { STN_WIREUP_FROM_NODE, 0, 0 },
	[STN_WIREUP_ABORT] = { STN_WIREUP_FROM_NODE, 0, REASON },
	[STN_WIREUP_MISS] = { STN_WIREUP_FROM_NODE, 4, 4 + REASON },
	[STN_WIREUP_CARDS] = { STN_WIREUP_FROM_LAUNCHER, 0, UINT32_MAX },
	[STN_WIREUP_GO] = { STN_WIREUP_FROM_LAUNCHER, 0, 0 },
	[STN_WIREUP_START] = { STN_WIREUP_FROM_LAUNCHER, 4, STN_WIREUP_TEXTS },
	[STN_WIREUP_INPUT] = { STN_WIREUP_FROM_LAUNCHER, 0, STN_WIREUP_LINES },
	[STN_WIREUP_OUTPUT] = { STN_WIREUP_FROM_AGENT, 0, STN_WIREUP_LINES },
	[STN_WIREUP_ENDED] = { STN_WIREUP_FROM_AGENT, 4, 4 },
	[STN_WIREUP_TAKEN] = { STN_WIREUP_FROM_AGENT, 4, 4 },
	[STN_WIREUP_FAILED] = { STN_WIREUP_FROM_AGENT, 0, REASON },
	[STN_WIREUP_SUSPECT] = { STN_WIREUP_FROM_NODE, 4, 4 + REASON },
	[STN_WIREUP_APPLIED] = { STN_WIREUP_FROM_NODE, 4, 4 },
	[STN_WIREUP_RETURNED] = { STN_WIREUP_FROM_NODE, 4, 4 },
	[STN_WIREUP_VIEW] = { STN_WIREUP_FROM_LAUNCHER, 12, STN_WIREUP_VIEWS },
	[STN_WIREUP_KILL] = { STN_WIREUP_FROM_LAUNCHER, 0, 0 },
	[STN_WIREUP_LEASE] = { STN_WIREUP_FROM_AGENT, 8, 8 },
	[STN_WIREUP_RENEWED] = { STN_WIREUP_FROM_LAUNCHER, 8, 8 },
	[STN_WIREUP_LEAVING] = { STN_WIREUP_FROM_NODE, 0, 0 },
	[STN_WIREUP_LEFT] = { STN_WIREUP_FROM_NODE, 0, 0 },
	[STN_WIREUP_OVER] = { STN_WIREUP_FROM_LAUNCHER, 0, 0 },
	[STN_WIREUP_PEERS] = { STN_WIREUP_FROM_LAUNCHER, 8, UINT32_MAX },
	[STN_WIREUP_MET] = { STN_WIREUP_FROM_NODE, 4, 4 + REASON },
	[STN_WIREUP_REPLAY] = { STN_WIREUP_FROM_LAUNCHER, 0, 0 },
	[STN_WIREUP_PROBE] = { STN_WIREUP_FROM_LAUNCHER, 4,
			       STN_WIREUP_PROBED * 20 },
	[STN_WIREUP_NEAR] = { STN_WIREUP_FROM_AGENT, 8, STN_WIREUP_PROBED * 8 },
	[STN_WIREUP_SUMMARY] = { STN_WIREUP_FROM_NODE, 4, 4 + REASON },
	[STN_WIREUP_INTERRUPT] = { STN_WIREUP_FROM_LAUNCHER, 0, 0 },
	[STN_WIREUP_WATCH] = { STN_WIREUP_FROM_LAUNCHER, 0, 0 },
	[STN_WIREUP_LIVE] = { STN_WIREUP_FROM_AGENT, 8, 4096 },
};

bool
stn_wireup_frame_add(struct stn_bytes *bytes, enum stn_wireup_frame_type type,
		     uint32_t rank, const void *body, size_t size)
{
	const struct stn_wireup_head head = { type, rank, (uint32_t)size };
	size_t before = stn_bytes_count(bytes);

	if (size > forms[type].most ||
	    !stn_bytes_add(bytes, &head, sizeof(head)))
		return false;
	if (stn_bytes_add(bytes, body, size))
		return true;
	bytes->end = bytes->start + before;
	return false;
}

static enum stn_err
send_all(int fd, const void *bytes, size_t size)
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
stn_wireup_frame_send(int fd, enum stn_wireup_frame_type type, const void *body,
		      size_t size)
{
	const struct stn_wireup_head head = { type, 0, (uint32_t)size };
	enum stn_err err = size > forms[type].most
				   ? STN_INVALID
				   : send_all(fd, &head, sizeof(head));

	return err ? err : send_all(fd, body, size);
}

enum stn_err
stn_wireup_frame_parse(const struct stn_bytes *bytes,
		       enum stn_wireup_sender from,
		       struct stn_wireup_frame *frame_p)
{
	size_t there = stn_bytes_count(bytes);
	struct stn_wireup_head head;

	if (there < sizeof(head))
		return STN_MISSING;
	memcpy(&head, stn_bytes_front(bytes), sizeof(head));
	if (head.type >= sizeof(forms) / sizeof(forms[0]) ||
	    !forms[head.type].from || forms[head.type].from & ~from ||
	    head.size < forms[head.type].least ||
	    head.size > forms[head.type].most)
		return STN_MALFORMED;
	if (there - sizeof(head) < head.size)
		return STN_MISSING;
	frame_p->head = head;
	frame_p->body = stn_bytes_front(bytes) + sizeof(head);
	return STN_OK;
}

void
stn_wireup_frame_drop(struct stn_bytes *bytes,
		      const struct stn_wireup_frame *frame)
{
	stn_bytes_drop(bytes, sizeof(frame->head) + frame->head.size);
}

uint32_t
stn_wireup_frame_number(const struct stn_wireup_frame *frame)
{
	uint32_t number;

	memcpy(&number, frame->body, sizeof(number));
	return number;
}

enum stn_err
stn_wireup_frame_view(const struct stn_wireup_frame *frame, uint32_t nodes,
		      uint32_t *root_p, struct stn_change **changes_p,
		      uint32_t *count_p)
{
	uint32_t root = stn_wireup_frame_number(frame);
	size_t bytes = frame->head.size - sizeof(root);
	uint32_t count = (uint32_t)(bytes / sizeof(struct stn_change));
	struct stn_change *changes;

	if (bytes % sizeof(changes[0]) || root >= nodes)
		return STN_MALFORMED;
	changes = malloc(bytes);
	if (!changes)
		return STN_NO_MEMORY;
	memcpy(changes, frame->body + sizeof(root), bytes);
	if (!stn_changes_valid(changes, count, nodes)) {
		free(changes);
		return STN_MALFORMED;
	}
	*root_p = root;
	*changes_p = changes;
	*count_p = count;
	return STN_OK;
}

uint32_t
stn_wireup_frame_missed(const struct stn_wireup_frame *frame,
			struct stn_why *why)
{
	uint32_t missed = stn_wireup_frame_number(frame);

	stn_because(why, STN_LOST, "%.*s",
		    (int)(frame->head.size - sizeof(missed)),
		    (const char *)frame->body + sizeof(missed));
	return missed;
}

enum stn_err
stn_wireup_frame_cards(const struct stn_wireup_frame *frame,
		       struct stn_card *cards, uint32_t nodes)
{
	size_t at = 0, size = frame->head.size;

	for (uint32_t i = 0; i < nodes; i++) {
		uint32_t bytes;

		if (size - at < sizeof(bytes))
			return STN_MALFORMED;
		memcpy(&bytes, frame->body + at, sizeof(bytes));
		at += sizeof(bytes);
		if (size - at < bytes)
			return STN_MALFORMED;
		cards[i] = (struct stn_card){ frame->body + at, bytes };
		at += bytes;
	}
	return at == size ? STN_OK : STN_MALFORMED;
}

bool
stn_wireup_frame_peer(const struct stn_wireup_frame *frame, size_t *at,
		      uint32_t *rank_p, struct stn_card *card_p)
{
	uint32_t head[2];
	size_t left = frame->head.size - *at;

	if (left < sizeof(head))
		return false;
	memcpy(head, frame->body + *at, sizeof(head));
	if (left - sizeof(head) < head[1])
		return false;
	*rank_p = head[0];
	*card_p = (struct stn_card){ frame->body + *at + sizeof(head),
				     head[1] };
	*at += sizeof(head) + head[1];
	return true;
}
