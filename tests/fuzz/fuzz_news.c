/*
 * fuzz_news.c: an arbitrary message about load is either rejected, or names
 * nodes that exist. Every policy then takes it, as an ordinary node and as the
 * server, and names in its own messages nodes that exist.
 *
 * Input: kind (8 bits), header.
 */
#include <string.h>

#include "parts/news/news.h"
#include "tests/fuzz/fuzz.h"

#define COUNT 70 /* of nodes with load; the server comes behind them */
#define NODES (COUNT + 1)

static enum stn_err
parse(uint8_t kind, const void *header, size_t bytes,
      struct stn_news_wire *wire)
{
	const struct stn_message message = { .kind = kind,
					     .header = header,
					     .header_bytes = bytes };

	return stn_news_parse(&message, NODES, wire);
}

static void
say(void *arg, uint32_t to, uint8_t kind, const void *header, size_t bytes)
{
	const struct stn_news *news = arg;
	struct stn_news_wire wire;

	require(!parse(kind, header, bytes, &wire));
	require(wire.note.from == news->number && wire.note.to == to);
}

static void
balance(void *arg, uint32_t with)
{
	const struct stn_news *news = arg;

	require(news->level == STN_LEVEL_OVER && with < COUNT &&
		with != news->number);
}

static const struct stn_news_host host = { say, balance };

/* A node that is overloaded takes the message, and lives on for two periods. */
static void
try_policy(const struct stn_news_policy *policy, uint32_t number,
	   const struct stn_news_wire *wire)
{
	struct stn_news news = { .policy = policy,
				 .host = &host,
				 .arg = &news,
				 .number = number,
				 .count = COUNT,
				 .server = COUNT };
	enum stn_err err;

	require(!stn_news_init(&news));
	if (number < COUNT)
		stn_news_changed(&news, STN_LEVEL_OVER);
	err = stn_news_take(&news, wire);
	require(!err || err == STN_MALFORMED);
	for (int i = 0; number < COUNT && i < 2; i++)
		stn_news_tick(&news);
	require(news.board.registered <= COUNT);
	stn_news_fini(&news);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct stn_news_policy *policy;
	struct stn_news_wire wire;

	if (!size || parse(data[0], data + 1, size - 1, &wire))
		return 0;
	require(wire.kind == data[0] && wire.note.from < NODES &&
		wire.note.to < NODES && wire.note.from != wire.note.to);
	if (wire.kind == STN_NEWS_KIND_LOAD) {
		require(wire.load.tasks >= 0 &&
			wire.load.tasks <= STN_NEWS_LOAD_MOST);
		return 0;
	}
	require(wire.note.level < STN_LEVELS);
	require((wire.kind == STN_NEWS_KIND_BALANCE) ==
		(wire.note.with != STN_NOBODY));
	for (size_t i = 0; (policy = stn_news_at(i)); i++)
		try_policy(policy, wire.note.to, &wire);
	return 0;
}
