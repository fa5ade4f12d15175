/*
 * lazy-distributed: the "lazy distributed" policy of Bustos, Caromel, Leyton
 * and Piquer. Overloaded nodes are registered on the board of every node. Once
 * a period each underloaded node looks at its own board, and offers itself to
 * an overloaded one, at random.
 */
#include "parts/news/news.h"

static void
spread_changed(struct stn_news *news, enum stn_level before)
{
	if (news->level == STN_LEVEL_OVER || before == STN_LEVEL_OVER)
		stn_news_tell_all(news);
}

static void
spread_tick(struct stn_news *news)
{
	uint32_t over;

	if (news->level != STN_LEVEL_UNDER)
		return;
	over = stn_board_pick(&news->board, news->number, &news->random);
	if (over != STN_NOBODY)
		stn_news_order(news, over, news->number);
}

static void
spread_told(struct stn_news *news, uint32_t from, enum stn_level level)
{
	stn_board_put(&news->board, from, level == STN_LEVEL_OVER);
}

const struct stn_news_policy stn_news_lazy_distributed = {
	.name = "lazy-distributed",
	.help = "overloaded nodes tell all others, which offer themselves",
	.board = STN_LEVEL_OVER,
	.changed = spread_changed,
	.tick = spread_tick,
	.told = spread_told,
};
