/*
 * central: the "centralized" policy of Bustos, Caromel, Leyton and Piquer. Each
 * node tells the server its level once a period. When the server hears from an
 * overloaded node, it names an underloaded one, at random.
 */
#include "parts/news/news.h"

static void
central_tick(struct stn_news *news)
{
	stn_news_tell(news, news->server);
}

static void
central_told(struct stn_news *news, uint32_t from, enum stn_level level)
{
	uint32_t with;

	if (!news->board.words)
		return; /* not the server */
	stn_board_put(&news->board, from, level == STN_LEVEL_UNDER);
	if (level != STN_LEVEL_OVER)
		return;
	with = stn_board_pick(&news->board, from, &news->random);
	if (with != STN_NOBODY)
		stn_news_order(news, from, with);
}

const struct stn_news_policy stn_news_central = {
	.name = "central",
	.help = "all tell a server each period; it names an underloaded node",
	.central = true,
	.board = STN_LEVEL_UNDER,
	.tick = central_tick,
	.told = central_told,
};
