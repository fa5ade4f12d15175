/*
 * hearsay: a node balances with the underloaded node that it has heard of last,
 * its partner. A node that has no partner asks a node at random, and another
 * one if the answer is no. It begins with that, before it has any load; so it
 * has a partner by the time it is overloaded. A node that has one sends
 * nothing.
 *
 * The node remembers its partner, because loads differ more between nodes than
 * over time. A partner that was not underloaded when the load came says so, and
 * is forgotten; silence means that it may be used again. So a node that is
 * overloaded now and then sends about one message each time, however many nodes
 * there are.
 */
#include "parts/news/news.h"

/* Nodes asked one after the other. If overloaded, then one a period. */
#define TRIES 8
#define TRIES_NORMAL 2

#define GIFTS 4 /* of half of the load each, one after the other */

struct hearsay {
	uint32_t partner; /* its number plus one; 0: none */
	uint32_t tries;	  /* nodes asked since the last tick */
	bool asking;	  /* an answer is due */
};

static uint32_t
random_other(struct stn_news *news)
{
	uint32_t other = stn_random_below(&news->random, news->count - 1);

	return other + (other >= news->number);
}

static void
ask_someone(struct stn_news *news)
{
	struct hearsay *own = news->state;
	uint32_t most = news->level == STN_LEVEL_OVER ? TRIES : TRIES_NORMAL;

	if (own->asking || own->tries >= most || news->count < 2)
		return;
	own->asking = true;
	own->tries++;
	stn_news_ask(news, random_other(news));
}

/*
 * A node that is still overloaded after it has balanced gives to its partner
 * again, and then needs another one.
 */
static void
find_relief(struct stn_news *news)
{
	struct hearsay *own = news->state;

	for (int i = 0; i < GIFTS && own->partner; i++)
		stn_news_balance(news, own->partner - 1);
	if (news->level == STN_LEVEL_OVER)
		own->partner = 0;
	if (!own->partner)
		ask_someone(news);
}

static void
hearsay_changed(struct stn_news *news, enum stn_level before)
{
	(void)before;
	if (news->level != STN_LEVEL_UNDER)
		find_relief(news);
}

/* An answer that has not come for a period will not come. */
static void
hearsay_tick(struct stn_news *news)
{
	struct hearsay *own = news->state;

	if (own->asking && own->tries) {
		own->tries = 0;
		return;
	}
	own->asking = false;
	own->tries = news->level == STN_LEVEL_OVER ? TRIES - 1 : 0;
	find_relief(news);
}

static void
hearsay_told(struct stn_news *news, uint32_t from, enum stn_level level)
{
	struct hearsay *own = news->state;

	own->asking = false;
	if (level == STN_LEVEL_UNDER)
		own->partner = from + 1;
	else if (own->partner == from + 1)
		own->partner = 0;
	find_relief(news);
}

static void
hearsay_asked(struct stn_news *news, uint32_t from)
{
	stn_news_tell(news, from);
}

/*
 * A node that cannot take the load says that it is overloaded. It does not give
 * the load back: two partners could pass it to and fro for ever.
 */
static void
hearsay_given(struct stn_news *news, uint32_t from, enum stn_level before)
{
	struct hearsay *own = news->state;

	if (before == STN_LEVEL_UNDER && news->level != STN_LEVEL_OVER)
		return;
	if (own->partner == from + 1)
		own->partner = 0;
	stn_news_tell(news, from);
}

const struct stn_news_policy stn_news_hearsay = {
	.name = "hearsay",
	.help = "the partner of last time, else one at random; nothing unasked",
	.board = STN_LEVELS,
	.state_bytes = sizeof(struct hearsay),
	.begin = ask_someone,
	.changed = hearsay_changed,
	.tick = hearsay_tick,
	.told = hearsay_told,
	.asked = hearsay_asked,
	.given = hearsay_given,
};
