/*
 * eager-distributed: the "eager distributed" policy of Bustos, Caromel, Leyton
 * and Piquer. Underloaded nodes are registered on the board of every node. A
 * node that becomes overloaded looks at its own board, and balances at once;
 * while it is overloaded, it does so again once a period.
 */
#include "parts/news/news.h"

static void
look_at_board(struct stn_news *news)
{
	uint32_t under =
		stn_board_pick(&news->board, news->number, &news->random);

	if (under != STN_NOBODY)
		stn_news_balance(news, under);
}

static void
known_changed(struct stn_news *news, enum stn_level before)
{
	if (news->level == STN_LEVEL_UNDER || before == STN_LEVEL_UNDER)
		stn_news_tell_all(news);
	if (news->level == STN_LEVEL_OVER)
		look_at_board(news);
}

static void
known_tick(struct stn_news *news)
{
	if (news->level == STN_LEVEL_OVER)
		look_at_board(news);
}

static void
known_told(struct stn_news *news, uint32_t from, enum stn_level level)
{
	stn_board_put(&news->board, from, level == STN_LEVEL_UNDER);
}

const struct stn_news_policy stn_news_eager_distributed = {
	.name = "eager-distributed",
	.help = "underloaded nodes tell all others; overloaded ones choose",
	.board = STN_LEVEL_UNDER,
	.changed = known_changed,
	.tick = known_tick,
	.told = known_told,
};
