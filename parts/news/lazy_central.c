/*
 * lazy-central: the "lazy centralized" policy of Bustos, Caromel, Leyton and
 * Piquer. Overloaded nodes are registered on the server. Each underloaded node
 * asks it once a period, and the server orders an overloaded one, at random, to
 * balance with the node that has asked.
 */
#include "parts/news/news.h"

static void
lazy_changed(struct stn_news *news, enum stn_level before)
{
	if (news->level == STN_LEVEL_OVER || before == STN_LEVEL_OVER)
		stn_news_tell(news, news->server);
}

static void
lazy_tick(struct stn_news *news)
{
	if (news->level == STN_LEVEL_UNDER)
		stn_news_ask(news, news->server);
}

static void
lazy_told(struct stn_news *news, uint32_t from, enum stn_level level)
{
	if (news->board.words)
		stn_board_put(&news->board, from, level == STN_LEVEL_OVER);
}

static void
lazy_asked(struct stn_news *news, uint32_t from)
{
	uint32_t over = STN_NOBODY;

	if (news->board.words)
		over = stn_board_pick(&news->board, from, &news->random);
	if (over != STN_NOBODY)
		stn_news_order(news, over, from);
}

const struct stn_news_policy stn_news_lazy_central = {
	.name = "lazy-central",
	.help = "overloaded nodes register on a server, which others ask",
	.central = true,
	.board = STN_LEVEL_OVER,
	.changed = lazy_changed,
	.tick = lazy_tick,
	.told = lazy_told,
	.asked = lazy_asked,
};
