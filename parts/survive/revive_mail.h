/*
 * revive_mail.h: the messages of revive.h on their way. Net lock held.
 */
#ifndef STN_PARTS_SURVIVE_REVIVE_MAIL_H
#define STN_PARTS_SURVIVE_REVIVE_MAIL_H

#include "parts/parts.h"

/* A message with a payload, which leaves or arrives. */
struct stn_revive_mail {
	struct stn_parts *array;
	uint32_t from;
	stn_done *landed; /* see stn_revive_mail_receive */
	union {
		struct stn_parts_stored stored;
		struct stn_parts_revive revive;
		struct stn_parts_need need;
	};
	size_t bytes;
	_Alignas(16) unsigned char payload[];
};

/*
 * stn_revive_mail_begin: a message with a payload of @bytes bytes, all zero,
 * which the caller owns. Ends the run if there is no memory.
 * stn_revive_mail_send: sends the message, and frees it when it has left.
 * @header is a member of @mail.
 * stn_revive_mail_receive: receives the payload of @message into @mail, without
 * waiting: @landed is called with @mail as @arg, at once or later, and frees
 * it.
 * Both end the run if the payload is lost although both nodes live.
 * stn_revive_mail_is_current: whether the array still waits for a message of
 * view @view.
 */
struct stn_revive_mail *stn_revive_mail_begin(struct stn_parts *array,
					      size_t bytes);
void stn_revive_mail_send(struct stn_revive_mail *mail, uint32_t to,
			  uint8_t kind, const void *header,
			  size_t header_bytes);
void stn_revive_mail_receive(struct stn_revive_mail *mail,
			     const struct stn_message *message,
			     stn_done *landed);
bool stn_revive_mail_is_current(const struct stn_parts *array, uint32_t view);

#endif
