/*
 * eager-central: the "eager centralized" policy of Bustos, Caromel, Leyton and
 * Piquer. Underloaded nodes are registered on the server. Each overloaded node
 * asks it once a period, and the server orders it to balance with an
 * underloaded one, at random.
 */
#include "parts/news/news.h"

static void
eager_changed(struct stn_news *news, enum stn_level before)
{
	if (news->level == STN_LEVEL_UNDER || before == STN_LEVEL_UNDER)
		stn_news_tell(news, news->server);
}

static void
eager_tick(struct stn_news *news)
{
	if (news->level == STN_LEVEL_OVER)
		stn_news_ask(news, news->server);
}

static void
eager_told(struct stn_news *news, uint32_t from, enum stn_level level)
{
	if (news->board.words)
		stn_board_put(&news->board, from, level == STN_LEVEL_UNDER);
}

static void
eager_asked(struct stn_news *news, uint32_t from)
{
	uint32_t under = STN_NOBODY;

	if (news->board.words)
		under = stn_board_pick(&news->board, from, &news->random);
	if (under != STN_NOBODY)
		stn_news_order(news, from, under);
}

const struct stn_news_policy stn_news_eager_central = {
	.name = "eager-central",
	.help = "underloaded nodes register on a server, which others ask",
	.central = true,
	.board = STN_LEVEL_UNDER,
	.changed = eager_changed,
	.tick = eager_tick,
	.told = eager_told,
	.asked = eager_asked,
};
