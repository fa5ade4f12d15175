/*
 * news.c: what news policies decide. A world of nodes hands their messages over
 * at once, and notes which nodes balanced with each other.
 */
#include <string.h>

#include "parts/news/news.h"
#include "tests/tap.h"

#define COUNT 5
#define NODES (COUNT + 1)
#define SERVER COUNT

struct place {
	struct world *world;
	uint32_t number;
};

struct world {
	struct stn_news news[NODES];
	struct place places[NODES];
	unsigned sent[STN_NEWS_KINDS], balanced;
	uint32_t giver, taker; /* of the last balance */
	bool deaf;	       /* messages are counted, and lost */
};

static void
world_say(void *arg, uint32_t to, uint8_t kind, const void *header,
	  size_t bytes)
{
	struct world *world = ((struct place *)arg)->world;
	const struct stn_message message = { .kind = kind,
					     .header = header,
					     .header_bytes = bytes };
	struct stn_news_wire wire;

	world->sent[kind - STN_NEWS_KIND_TELL]++;
	if (world->deaf)
		return;
	if (stn_news_parse(&message, NODES, &wire) ||
	    stn_news_take(&world->news[to], &wire)) {
		puts("Bail out! a message is refused");
		exit(EXIT_FAILURE);
	}
}

/* Half of the load is so little that the node is normal. */
static void
world_balance(void *arg, uint32_t with)
{
	struct place *place = arg;
	struct world *world = place->world;

	world->balanced++;
	world->giver = place->number;
	world->taker = with;
	stn_news_changed(&world->news[place->number], STN_LEVEL_NORMAL);
}

static const struct stn_news_host host = { world_say, world_balance };

static void
begin(struct world *world, const struct stn_news_policy *policy)
{
	memset(world, 0, sizeof(*world));
	for (uint32_t i = 0; i < NODES; i++) {
		world->places[i] = (struct place){ world, i };
		world->news[i] = (struct stn_news){
			.policy = policy,
			.host = &host,
			.arg = &world->places[i],
			.number = i,
			.count = COUNT,
			.server = SERVER,
		};
		stn_random_seed(&world->news[i].random, 1, i);
		if (stn_news_init(&world->news[i]))
			exit(EXIT_FAILURE);
	}
}

static void
end(struct world *world)
{
	for (uint32_t i = 0; i < NODES; i++)
		stn_news_fini(&world->news[i]);
}

static void
set(struct world *world, uint32_t number, enum stn_level level)
{
	stn_news_changed(&world->news[number], level);
}

static unsigned
sent(const struct world *world, unsigned kind)
{
	return world->sent[kind - STN_NEWS_KIND_TELL];
}

/* All nodes but 1 and 3 become normal, and 3 overloaded. Then a period ends. */
static void
play(struct world *world)
{
	set(world, 0, STN_LEVEL_NORMAL);
	set(world, 2, STN_LEVEL_NORMAL);
	set(world, 4, STN_LEVEL_NORMAL);
	set(world, 3, STN_LEVEL_OVER);
	for (uint32_t i = 0; i < COUNT; i++)
		stn_news_tick(&world->news[i]);
}

static void
test_pairs(void)
{
	const struct stn_news_policy *policy;
	struct world world;

	for (size_t i = 0; (policy = stn_news_at(i)); i++) {
		begin(&world, policy);
		play(&world);
		tap_ok(world.balanced == 1 && world.giver == 3 &&
			       world.taker == 1,
		       "%s: the overloaded node gives to the underloaded one",
		       policy->name);
		end(&world);
	}
}

/* How many messages of each kind a policy sends in the play. */
static const struct {
	const char *name;
	unsigned tell, ask, balance;
} table[] = {
	{ "central", 5, 0, 1 },
	/* 3 registers; 1 asks; 3 is no longer overloaded. */
	{ "lazy-central", 2, 1, 1 },
	/* 0, 2, 4 and 3 are no longer underloaded. */
	{ "eager-central", 4, 1, 1 },
	{ "distributed", 20, 0, 1 },
	{ "lazy-distributed", 8, 0, 1 },
	{ "eager-distributed", 16, 0, 0 },
};

static void
test_messages(void)
{
	struct world world;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		begin(&world, stn_news_find(table[i].name));
		play(&world);
		tap_ok(sent(&world, STN_NEWS_KIND_TELL) == table[i].tell &&
			       sent(&world, STN_NEWS_KIND_ASK) ==
				       table[i].ask &&
			       sent(&world, STN_NEWS_KIND_BALANCE) ==
				       table[i].balance,
		       "%s sends %u, %u and %u messages of each kind",
		       table[i].name, table[i].tell, table[i].ask,
		       table[i].balance);
		end(&world);
	}
}

static void
test_partner(void)
{
	struct world world;
	unsigned tells;
	uint32_t taker;

	begin(&world, stn_news_find("hearsay"));
	for (uint32_t i = 0; i < COUNT; i++)
		stn_news_begin(&world.news[i]);
	tap_ok(sent(&world, STN_NEWS_KIND_ASK) == COUNT,
	       "hearsay: a node asks as it begins");
	for (uint32_t i = 0; i < 3 * COUNT; i++)
		stn_news_tick(&world.news[i % COUNT]);
	tap_ok(sent(&world, STN_NEWS_KIND_TELL) == COUNT &&
		       sent(&world, STN_NEWS_KIND_ASK) == COUNT,
	       "hearsay: a node asks once while it is underloaded");
	play(&world);
	taker = world.taker;
	tells = sent(&world, STN_NEWS_KIND_TELL);
	tap_ok(tells && tells == sent(&world, STN_NEWS_KIND_ASK),
	       "hearsay: nobody tells anything unasked");
	set(&world, 3, STN_LEVEL_OVER);
	tap_ok(world.balanced == 2 && world.taker == taker &&
		       sent(&world, STN_NEWS_KIND_TELL) == tells,
	       "hearsay: a partner is used again without a message");
	world.deaf = true;
	world.news[taker].level = STN_LEVEL_UNDER;
	stn_news_given(&world.news[taker], 3, STN_LEVEL_NORMAL);
	world.deaf = false;
	tap_ok(sent(&world, STN_NEWS_KIND_TELL) == tells,
	       "hearsay: a partner that was underloaded says nothing");
	stn_news_given(&world.news[taker], 3, STN_LEVEL_NORMAL);
	tap_ok(sent(&world, STN_NEWS_KIND_TELL) > tells,
	       "hearsay: a partner that was not says so");
	world.deaf = true;
	set(&world, 3, STN_LEVEL_OVER);
	tap_ok(world.balanced == 2 || world.taker != taker,
	       "hearsay: it is then forgotten");
	end(&world);
}

/* If no node takes load, or none answers, a node asks less and less often. */
static void
test_patience(void)
{
	struct world world;
	unsigned asked;

	begin(&world, stn_news_find("hearsay"));
	for (uint32_t i = 0; i < COUNT; i++)
		world.news[i].level = STN_LEVEL_NORMAL;
	set(&world, 3, STN_LEVEL_OVER);
	asked = sent(&world, STN_NEWS_KIND_ASK);
	tap_ok(asked == 8, "hearsay: an overloaded node asks 8 nodes at once");
	stn_news_tick(&world.news[3]);
	tap_ok(sent(&world, STN_NEWS_KIND_ASK) == asked + 1,
	       "hearsay: then one a period");
	world.news[2].level = STN_LEVEL_UNDER;
	set(&world, 2, STN_LEVEL_NORMAL);
	tap_ok(sent(&world, STN_NEWS_KIND_ASK) == asked + 3,
	       "hearsay: a normal node asks 2");
	world.deaf = true;
	for (int i = 0; i < 6; i++)
		stn_news_tick(&world.news[3]);
	tap_ok(sent(&world, STN_NEWS_KIND_ASK) == asked + 6,
	       "hearsay: an answer that is lost is waited for a period");
	end(&world);
}

static void
test_board(void)
{
	unsigned picked[200] = { 0 }, least = UINT32_MAX, others = 0;
	struct stn_random random = { 1 };
	struct stn_board board;

	if (stn_board_init(&board, 200, false))
		exit(EXIT_FAILURE);
	tap_ok(stn_board_pick(&board, 0, &random) == STN_NOBODY,
	       "nobody is picked from an empty board");
	stn_board_put(&board, 64, true);
	stn_board_put(&board, 64, true);
	tap_ok(board.registered == 1 &&
		       stn_board_pick(&board, 64, &random) == STN_NOBODY,
	       "nor is the node itself");
	stn_board_put(&board, 3, true);
	stn_board_put(&board, 199, true);
	for (int i = 0; i < 30000; i++)
		picked[stn_board_pick(&board, STN_NOBODY, &random)]++;
	for (uint32_t i = 0; i < 200; i++) {
		if (i != 3 && i != 64 && i != 199)
			others += picked[i];
		else if (picked[i] < least)
			least = picked[i];
	}
	tap_ok(!others && least > 9500,
	       "registered nodes are picked, all as often");
	memset(picked, 0, sizeof(picked));
	for (int i = 0; i < 1000; i++)
		picked[stn_board_pick(&board, 64, &random)]++;
	tap_ok(!picked[64] && picked[3] + picked[199] == 1000,
	       "one that is left out is not picked");
	stn_board_fini(&board);
}

int
main(void)
{
	tap_begin();
	test_board();
	test_pairs();
	test_messages();
	test_partner();
	test_patience();
	return tap_end();
}
