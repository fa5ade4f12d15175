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
mail_must_arrive(const struct stn_revive_mail *mail, enum stn_err err)
{
	stn_node_must_arrive(mail->array->service->node,
			     "a message about an array on disk", err);
}

static void
mail_left(void *arg, enum stn_err err)
{
	mail_must_arrive(arg, err);
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

static void
mail_landed(void *arg, enum stn_err err)
{
	struct stn_revive_mail *mail = arg;

	mail_must_arrive(mail, err);
	mail->landed(mail, err);
}

void
stn_revive_mail_receive(struct stn_revive_mail *mail,
			const struct stn_message *message, stn_done *landed)
{
	struct iovec piece = { mail->payload, mail->bytes };

	mail->from = message->from;
	mail->landed = landed;
	if (mail->bytes)
		stn_early_take(mail->array->service, message, &piece, 1,
			       mail_landed, mail);
	else
		landed(mail, STN_OK);
}

bool
stn_revive_mail_is_current(const struct stn_parts *array, uint32_t view)
{
	return array->revival && view == array->service->view;
}
