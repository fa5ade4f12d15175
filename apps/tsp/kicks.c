#include "apps/tsp/kicks.h"

#include <string.h>

#include "apps/random.h"

#define NEAR 8	     /* neighbours that a step tries to go on to */
#define LEVELS 5     /* a step that ends at level n changes n + 2 edges */
#define PART_MOST 30 /* cities of a part that a kick moves */
#define PATIENCE 16  /* ends after cities^2 / PATIENCE kicks in vain */
#define CITIES TSPLIB_CITIES_MOST

/* A tour that is being made shorter. */
struct walk {
	const struct tsplib *tsp;
	int cities;
	int order[CITIES], place[CITIES]; /* inverse to each other */
	int near[CITIES][NEAR];		  /* the nearest cities, in order */
	int nears;

	/* Cities from which no step has been tried since an edge changed. */
	int waiting[CITIES], waits;
	bool queued[CITIES];
};

/* How many neighbours are tried on each level; on further ones, one. */
static const int breadth[] = { 5, 3, 1 };

static int
distance(const struct walk *walk, int a, int b)
{
	return walk->tsp->distance[a][b];
}

static int
behind(const struct walk *walk, int city)
{
	int place = walk->place[city] + 1;

	return walk->order[place == walk->cities ? 0 : place];
}

static int
before(const struct walk *walk, int city)
{
	int place = walk->place[city];

	return walk->order[(place ? place : walk->cities) - 1];
}

static void
put(struct walk *walk, int place, int city)
{
	walk->order[place] = city;
	walk->place[city] = place;
}

/* Reverses the way from city @first to city @last. */
static void
reverse(struct walk *walk, int first, int last)
{
	int i = walk->place[first], j = walk->place[last];
	int length = j - i + 1 + (j < i ? walk->cities : 0);

	for (int swaps = length / 2; swaps > 0; swaps--) {
		int a = walk->order[i], b = walk->order[j];

		put(walk, i, b);
		put(walk, j, a);
		i = i + 1 == walk->cities ? 0 : i + 1;
		j = (j ? j : walk->cities) - 1;
	}
}

static void
await(struct walk *walk, int city)
{
	if (walk->queued[city])
		return;
	walk->queued[city] = true;
	walk->waiting[walk->waits++] = city;
}

/* An edge that a step may add: from the city behind the start to @to. */
struct choice {
	int to, gain; /* what is saved before the tour is closed again */
};

/* The best choices for the edge from @from, at most @most. */
static int
choose(const struct walk *walk, int start, int from, int gain, int most,
       struct choice *best)
{
	int count = 0, i;

	for (int n = 0; n < walk->nears; n++) {
		int to = walk->near[from][n];
		int open = gain - distance(walk, from, to);
		int end = before(walk, to);

		if (open <= 0)
			break;
		if (to == start || end == from)
			continue;
		open += distance(walk, end, to);
		for (i = count; i > 0 && best[i - 1].gain < open; i--)
			if (i < most)
				best[i] = best[i - 1];
		if (i < most)
			best[i] = (struct choice){ to, open };
		count += count < most;
	}
	return count;
}

/*
 * Replaces the edge from @start to the city behind it, and others, so that the
 * tour becomes shorter. @gain: the length of that edge, or of the edges that
 * the step has removed so far, less the added ones. Returns false and changes
 * nothing if it finds no such step.
 */
static bool
step(struct walk *walk, int start, int gain, int level)
{
	int widest = sizeof(breadth) / sizeof(breadth[0]);
	struct choice best[NEAR];
	int from = behind(walk, start), count;

	count = choose(walk, start, from, gain,
		       level < widest ? breadth[level] : 1, best);
	for (int i = 0; i < count; i++) {
		int to = best[i].to, end = before(walk, to);

		reverse(walk, from, end);
		if (best[i].gain > distance(walk, start, end) ||
		    (level < LEVELS &&
		     step(walk, start, best[i].gain, level + 1))) {
			await(walk, from);
			await(walk, to);
			await(walk, end);
			return true;
		}
		reverse(walk, end, from);
	}
	return false;
}

static void
turn_round(struct walk *walk)
{
	reverse(walk, walk->order[0], walk->order[walk->cities - 1]);
}

/* Tries steps from a city, in both directions. */
static bool
step_from(struct walk *walk, int city)
{
	for (int i = 0; i < 2; i++) {
		if (step(walk, city, distance(walk, city, behind(walk, city)),
			 0))
			return true;
		turn_round(walk);
	}
	return false;
}

static void
settle(struct walk *walk)
{
	while (walk->waits) {
		int city = walk->waiting[--walk->waits];

		walk->queued[city] = false;
		while (step_from(walk, city))
			continue;
	}
}

/* Exchanges two parts of the tour that follow each other. */
static void
kick(struct walk *walk, struct app_random *random)
{
	int most = (walk->cities - 2) / 2;
	int part = most < PART_MOST ? most : PART_MOST;
	int start = (int)app_random(random, (uint64_t)walk->cities);
	int first = 1 + (int)app_random(random, (uint64_t)part);
	int second = 1 + (int)app_random(random, (uint64_t)part);
	int at[4] = { start + 1, start + first, start + first + 1,
		      start + first + second };
	int city[4];

	for (int i = 0; i < 4; i++)
		city[i] = walk->order[at[i] % walk->cities];
	await(walk, walk->order[start]);
	await(walk, behind(walk, city[3]));
	for (int i = 0; i < 4; i++)
		await(walk, city[i]);
	reverse(walk, city[0], city[3]);
	reverse(walk, city[3], city[2]);
	reverse(walk, city[1], city[0]);
}

static int64_t
measure(const struct walk *walk)
{
	int64_t length = 0;

	for (int i = 0; i < walk->cities; i++)
		length += distance(walk, walk->order[i],
				   behind(walk, walk->order[i]));
	return length;
}

static void
find_near(struct walk *walk, int city)
{
	int *near = walk->near[city], count = 0, i;

	for (int other = 0; other < walk->cities; other++) {
		int far = distance(walk, city, other);

		if (other == city)
			continue;
		for (i = count;
		     i > 0 && distance(walk, city, near[i - 1]) > far; i--)
			if (i < NEAR)
				near[i] = near[i - 1];
		if (i < NEAR)
			near[i] = other;
		count += count < NEAR;
	}
	walk->nears = count;
}

static void
begin(struct walk *walk, const struct tsplib *tsp)
{
	walk->tsp = tsp;
	walk->cities = tsp->cities;
	walk->waits = 0;
	memset(walk->queued, 0, sizeof(walk->queued));
	for (int i = 0; i < tsp->cities; i++) {
		put(walk, i, i);
		find_near(walk, i);
	}
	for (int i = 0; i < tsp->cities; i++)
		await(walk, i);
}

static void
go_back(struct walk *walk, const int *order)
{
	for (int i = 0; i < walk->cities; i++)
		put(walk, i, order[i]);
}

/* Kicks, until no kick out of many in a row makes the tour shorter. */
static int64_t
kick_on(struct walk *walk)
{
	int patience = walk->cities * walk->cities / PATIENCE;
	size_t bytes = (size_t)walk->cities * sizeof(walk->order[0]);
	struct app_random random = { 1 };
	int64_t shortest = measure(walk), length;
	int order[CITIES];

	memcpy(order, walk->order, bytes);
	for (int vain = 0; vain < patience; vain++) {
		kick(walk, &random);
		settle(walk);
		length = measure(walk);
		if (length > shortest) {
			go_back(walk, order);
			continue;
		}
		if (length < shortest)
			vain = -1;
		shortest = length;
		memcpy(order, walk->order, bytes);
	}
	go_back(walk, order);
	return shortest;
}

/* Begins with city 0, and goes on to that neighbour with the lower number. */
static void
copy_order(const struct walk *walk, uint8_t *to)
{
	bool forwards = behind(walk, 0) <= before(walk, 0);

	for (int i = 0, city = 0; i < walk->cities; i++) {
		to[i] = (uint8_t)city;
		city = forwards ? behind(walk, city) : before(walk, city);
	}
}

int64_t
kicks_tour(const struct tsplib *tsp, uint8_t *order)
{
	struct walk walk;
	int64_t length;

	begin(&walk, tsp);
	settle(&walk);
	length = tsp->cities < 4 ? measure(&walk) : kick_on(&walk);
	copy_order(&walk, order);
	return length;
}
