/*
 * news.c: what all news policies have in common: messages, and the order to
 * balance.
 */
#include "parts/news/news.h"

#include <stdlib.h>

/* Does this node keep a board? */
static bool
keeps_board(const struct stn_news *news)
{
	if (news->policy->board == STN_LEVELS)
		return false;
	return !news->policy->central || news->number == news->server;
}

enum stn_err
stn_news_init(struct stn_news *news)
{
	size_t bytes = news->policy->state_bytes;

	news->level = STN_LEVEL_UNDER;
	news->board = (struct stn_board){ .words = NULL };
	news->state = calloc(1, bytes + !bytes);
	if (!news->state)
		return STN_NO_MEMORY;
	if (!keeps_board(news))
		return STN_OK;
	return stn_board_init(&news->board, news->count,
			      news->policy->board == STN_LEVEL_UNDER);
}

void
stn_news_fini(struct stn_news *news)
{
	stn_board_fini(&news->board);
	free(news->state);
	news->state = NULL;
}

static void
say_note(struct stn_news *news, uint32_t to, uint8_t kind, uint32_t with)
{
	const struct stn_news_note note = { news->number, to, with,
					    news->level };

	news->host->say(news->arg, to, kind, &note, sizeof(note));
}

void
stn_news_tell(struct stn_news *news, uint32_t to)
{
	say_note(news, to, STN_NEWS_KIND_TELL, STN_NOBODY);
}

/* From a random node on: the first to hear of it may be the first to answer. */
void
stn_news_tell_all(struct stn_news *news)
{
	uint32_t first = stn_random_below(&news->random, news->count);

	for (uint32_t i = 0; i < news->count; i++) {
		uint32_t to = (first + i) % news->count;

		if (to != news->number)
			stn_news_tell(news, to);
	}
}

void
stn_news_ask(struct stn_news *news, uint32_t to)
{
	say_note(news, to, STN_NEWS_KIND_ASK, STN_NOBODY);
}

void
stn_news_order(struct stn_news *news, uint32_t to, uint32_t with)
{
	say_note(news, to, STN_NEWS_KIND_BALANCE, with);
}

void
stn_news_balance(struct stn_news *news, uint32_t with)
{
	if (news->level == STN_LEVEL_OVER && with != news->number &&
	    with < news->count)
		news->host->balance(news->arg, with);
}

/* The policy learns that the level is no longer @before. */
static void
tell_policy(struct stn_news *news, enum stn_level before)
{
	if (news->level != before && news->policy->changed)
		news->policy->changed(news, before);
}

void
stn_news_begin(struct stn_news *news)
{
	if (news->policy->begin)
		news->policy->begin(news);
}

void
stn_news_changed(struct stn_news *news, enum stn_level level)
{
	enum stn_level before = news->level;

	news->level = level;
	tell_policy(news, before);
}

void
stn_news_tick(struct stn_news *news)
{
	if (news->policy->tick)
		news->policy->tick(news);
}

void
stn_news_given(struct stn_news *news, uint32_t from, enum stn_level level)
{
	enum stn_level before = news->level;

	news->level = level;
	if (news->policy->given)
		news->policy->given(news, from, before);
	tell_policy(news, before);
}

enum stn_err
stn_news_take(struct stn_news *news, const struct stn_news_wire *wire)
{
	const struct stn_news_policy *policy = news->policy;
	const struct stn_news_note *note = &wire->note;

	switch (wire->kind) {
	case STN_NEWS_KIND_TELL:
		if (!policy->told || note->from >= news->count)
			return STN_MALFORMED;
		policy->told(news, note->from, note->level);
		return STN_OK;
	case STN_NEWS_KIND_ASK:
		if (!policy->asked || note->from >= news->count)
			return STN_MALFORMED;
		policy->asked(news, note->from);
		return STN_OK;
	case STN_NEWS_KIND_BALANCE:
		stn_news_balance(news, note->with);
		return STN_OK;
	}
	return STN_MALFORMED;
}
