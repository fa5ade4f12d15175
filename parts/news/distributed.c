/*
 * distributed: the "distributed" policy of Bustos, Caromel, Leyton and Piquer.
 * Each node tells all others its level once a period. Every underloaded node
 * that hears of an overloaded one offers to balance with it; nothing limits the
 * number of offers, and the overloaded node follows the first.
 */
#include "parts/news/news.h"

static void
distributed_tick(struct stn_news *news)
{
	stn_news_tell_all(news);
}

static void
distributed_told(struct stn_news *news, uint32_t from, enum stn_level level)
{
	if (level == STN_LEVEL_OVER && news->level == STN_LEVEL_UNDER)
		stn_news_order(news, from, news->number);
}

const struct stn_news_policy stn_news_distributed = {
	.name = "distributed",
	.help = "all tell all each period; underloaded nodes offer themselves",
	.board = STN_LEVELS,
	.tick = distributed_tick,
	.told = distributed_told,
};
