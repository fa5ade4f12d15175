/*
 * fuzz_card.c: any bytes are a node's card, whose tasks can be held against
 * ours, or are rejected in one line.
 */
#include <stdlib.h>
#include <string.h>

#include "steal/join/card.h"
#include "steal/task.h"
#include "tests/fuzz.h"

static bool
one_line(const struct stn_why *why)
{
	return *why->text && !strchr(why->text, '\n') &&
	       memchr(why->text, '\0', sizeof(why->text));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char mine[] = "long fib(int:4):8\nvoid sort(int:4):0\n";
	const struct stn_card card = { data, size };
	struct stn_why why = { "" };
	struct stn_hello hello;

	if (stn_card_read(&card, 3, &hello, &why)) {
		require(one_line(&why));
		return 0;
	}
	require(hello.address_bytes <= STN_ADDRESS_BYTES &&
		hello.address + hello.address_bytes <= data + size);
	if (stn_table_agree(mine, hello.tasks, 3, &why))
		require(strcmp(mine, hello.tasks) && one_line(&why));
	else
		require(!strcmp(mine, hello.tasks));
	free(hello.tasks);
	return 0;
}
