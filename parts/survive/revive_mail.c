#include "parts/survive/revive_mail.h"

#include <stdlib.h>

#include "node/dispatch.h"
#include "parts/array.h"
#include "parts/early.h"

struct stn_revive_mail *
stn_revive_mail_begin(struct stn_parts *array, size_t bytes)
{
	struct stn_revive_mail *mail = calloc(1, sizeof(*mail) + bytes);

	if (!mail)
		stn_array_no_memory(array);
	mail->array = array;
	mail->bytes = bytes;
	return mail;
}

static void
mail_left(void *arg, enum stn_err err)
{
	(void)err; /* a receiver that has died is told of by a view */
	free(arg);
}

void
stn_revive_mail_send(struct stn_revive_mail *mail, uint32_t to, uint8_t kind,
		     const void *header, size_t header_bytes)
{
	struct iovec piece = { mail->payload, mail->bytes };

	stn_node_send(mail->array->service->node, to, kind, header,
		      header_bytes, &piece, mail->bytes > 0, mail_left, mail);
}

void
stn_revive_mail_receive(struct stn_revive_mail *mail,
			const struct stn_message *message,
			void (*landed)(void *arg, enum stn_err err))
{
	struct iovec piece = { mail->payload, mail->bytes };

	mail->from = message->from;
	if (mail->bytes)
		stn_early_take(mail->array->service, message, &piece, 1, landed,
			       mail);
	else
		landed(mail, STN_OK);
}

bool
stn_revive_mail_is_current(const struct stn_parts *array, uint32_t view)
{
	return array->revival && view == array->service->view;
}
