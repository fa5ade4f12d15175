/*
 * fuzz_card.c: any bytes are either read as a node's card, whose tasks can be
 * compared with ours, or rejected with a message of one line. As settings they
 * either equal ours or are rejected. In the corpus, version 1 stands for the
 * current version.
 */
#include <stdlib.h>
#include <string.h>

#include "launch/agree.h"
#include "launch/card.h"
#include "steal/task.h"
#include "tests/fuzz/fuzz.h"

#define VERSION_AT 8

static bool
one_line(const struct stn_why *why)
{
	return *why->text && !strchr(why->text, '\n') &&
	       memchr(why->text, '\0', sizeof(why->text));
}

static void
renew_version(uint8_t *card, size_t size)
{
	uint32_t version;

	if (size < VERSION_AT + sizeof(version))
		return;
	memcpy(&version, card + VERSION_AT, sizeof(version));
	if (version == 1)
		version = STN_WIRE_VERSION;
	memcpy(card + VERSION_AT, &version, sizeof(version));
}

static void
try(const uint8_t *data, size_t size)
{
	static const char mine[] = "long fib(int:4):8\nvoid sort(int:4):0\n";
	const struct stn_card card = { data, size };
	struct stn_why why = { "" };
	struct stn_card_content content;

	if (stn_card_read(&card, 3, &content, &why)) {
		require(one_line(&why));
		return;
	}
	require(content.address_bytes <= STN_ADDRESS_BYTES &&
		content.address + content.address_bytes <= data + size);
	if (stn_table_agree(mine, content.tasks, 3, &why))
		require(strcmp(mine, content.tasks) && one_line(&why));
	else
		require(!strcmp(mine, content.tasks));
	free(content.tasks);
}

static void
try_settings(const uint8_t *data, size_t size)
{
	static const char ours[] = "settings of version 0\nSTN_BALANCER=crs\n";
	const struct stn_card card = { data, size };
	struct stn_why why = { "" };

	if (stn_agree_check(ours, &card, 3, true, &why))
		require(one_line(&why));
	else
		require(size == sizeof(ours) - 1 && !memcmp(data, ours, size));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *card = malloc(size + !size);

	require(card);
	try_settings(data, size);
	memcpy(card, data, size);
	renew_version(card, size);
	try(card, size);
	free(card);
	return 0;
}
