#include "apps/clique/families.h"

#include <stdio.h>
#include <stdlib.h>

#include "apps/random.h"

#define BITS_MOST 32

/* One number of a command line: its range. */
struct range {
	long least, most;
};

/* Reads as many numbers as there are ranges, with commas between them. */
static bool
read_numbers(const char *text, const struct range *range, int count,
	     long *numbers, struct app_why *why)
{
	char word[32];
	size_t bytes;

	for (int i = 0; i < count; i++, text += bytes + 1) {
		bytes = strcspn(text, ",");
		snprintf(word, sizeof(word), "%.*s",
			 (int)(bytes < 31 ? bytes : 31), text);
		if (!app_number(word, range[i].least, range[i].most,
				&numbers[i]))
			return app_because(why,
					   "number %d must be from %ld to "
					   "%ld, not '%s'",
					   i + 1, range[i].least, range[i].most,
					   word);
		if (i + 1 < count ? text[bytes] != ',' : text[bytes])
			return app_because(why, "there must be %d numbers",
					   count);
	}
	return true;
}

/* Joins vertices i and j if @adjacent says so of their words. */
static struct clique_graph *
join_words(const uint32_t *words, int count, long distance,
	   bool (*adjacent)(uint32_t a, uint32_t b, long distance))
{
	struct clique_graph *graph = clique_graph_make(count);

	for (int i = 0; i < count; i++)
		for (int j = 0; j < i; j++)
			if (adjacent(words[i], words[j], distance))
				clique_join(graph, i, j);
	return graph;
}

static bool
differ(uint32_t a, uint32_t b, long distance)
{
	return __builtin_popcount(a ^ b) >= distance;
}

/* Digits of two bits each: differ in two places, and in one of them by 2. */
static bool
keller_adjacent(uint32_t a, uint32_t b, long unused)
{
	uint32_t low = 0x55555555, apart = a ^ b;
	uint32_t digits = (apart | apart >> 1) & low;

	(void)unused;
	/* Numbers modulo 4 differ by 2 if only their high bits differ. */
	return apart >> 1 & ~apart & low && (digits & (digits - 1));
}

/* The next larger number with as many ones; 0 beyond 32 bits. */
static uint64_t
next_word(uint64_t word)
{
	uint64_t low = word & -word, up = word + low;

	return up | ((word ^ up) / low) >> 2;
}

/* Lists the words of @bits bits with @ones ones; returns 0 if there are too
 * many, or none.
 */
static int
list_words(long bits, long ones, uint32_t *words)
{
	int count = 0;

	if (ones > bits)
		return 0;
	for (uint64_t word = (1ull << ones) - 1; word < 1ull << bits;
	     word = next_word(word)) {
		if (count == CLIQUE_VERTICES_MOST)
			return 0;
		words[count++] = (uint32_t)word;
	}
	return count;
}

static struct clique_graph *
random_graph(const char *text, struct app_why *why)
{
	static const struct range range[] = { { 1, CLIQUE_VERTICES_MOST },
					      { 0, APP_SEED_MOST } };
	const char *comma = strchr(text, ','), *last = strrchr(text, ',');
	struct clique_graph *graph;
	struct app_random random;
	char ends[64], chance[32];
	long numbers[2];
	double p;

	if (!comma || comma == last || last - comma > 31)
		return app_because(why, "there must be 3 numbers"), NULL;
	snprintf(ends, sizeof(ends), "%.*s%s",
		 (int)(comma - text < 31 ? comma - text : 31), text, last);
	snprintf(chance, sizeof(chance), "%.*s", (int)(last - comma - 1),
		 comma + 1);
	if (!read_numbers(ends, range, 2, numbers, why))
		return NULL;
	if (!app_real(chance, 0, 1, &p))
		return app_because(why, "P must be from 0 to 1, not '%s'",
				   chance),
		       NULL;
	graph = clique_graph_make((int)numbers[0]);
	random.state = (uint64_t)numbers[1];
	for (int i = 0; i < graph->vertices; i++)
		for (int j = 0; j < i; j++)
			if ((double)app_random(&random, 1ull << 32) <
			    p * 0x1p32)
				clique_join(graph, i, j);
	return graph;
}

static struct clique_graph *
hamming_graph(const char *text, struct app_why *why)
{
	static const struct range range[] = { { 1, 12 }, { 1, 12 } };
	uint32_t words[CLIQUE_VERTICES_MOST];
	long numbers[2];
	int count;

	if (!read_numbers(text, range, 2, numbers, why))
		return NULL;
	count = 1 << numbers[0];
	for (int i = 0; i < count; i++)
		words[i] = (uint32_t)i;
	return join_words(words, count, numbers[1], differ);
}

static struct clique_graph *
johnson_graph(const char *text, struct app_why *why)
{
	static const struct range range[] = { { 1, BITS_MOST },
					      { 1, BITS_MOST },
					      { 1, BITS_MOST } };
	uint32_t words[CLIQUE_VERTICES_MOST];
	long numbers[3];
	int count;

	if (!read_numbers(text, range, 3, numbers, why))
		return NULL;
	count = list_words(numbers[0], numbers[1], words);
	if (!count)
		return app_because(why,
				   "it would have no vertices, or more than %d",
				   CLIQUE_VERTICES_MOST),
		       NULL;
	return join_words(words, count, numbers[2], differ);
}

static struct clique_graph *
keller_graph(const char *text, struct app_why *why)
{
	static const struct range range[] = { { 2, 6 } };
	uint32_t words[CLIQUE_VERTICES_MOST];
	long number;
	int count = 0;

	if (!read_numbers(text, range, 1, &number, why))
		return NULL;
	for (uint32_t word = 0; word < 1u << 2 * number; word++)
		if (keller_adjacent(word, 0, 0))
			words[count++] = word;
	return join_words(words, count, 0, keller_adjacent);
}

/*
 * A Steiner triple system with three times as many points: point p becomes p, p
 * + n and p + 2n. New triples are the three copies of a point, and for each old
 * triple its copies, and all ways to take its points from different copies.
 * (D. R. Fulkerson and others, "Two computationally difficult set covering
 * problems that arise in computing the 1-width of incidence matrices of Steiner
 * triple systems", 1974.)
 */
static int
triple_points(int points, int count, int (*triples)[3])
{
	static const int copies[9][3] = {
		{ 0, 0, 0 }, { 1, 1, 1 }, { 2, 2, 2 }, { 0, 1, 2 }, { 0, 2, 1 },
		{ 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 }
	};
	int end = count;

	for (int i = 1; i < 9; i++)
		for (int j = 0; j < count; j++, end++)
			for (int k = 0; k < 3; k++)
				triples[end][k] =
					triples[j][k] + points * copies[i][k];
	for (int p = 0; p < points; p++, end++)
		for (int k = 0; k < 3; k++)
			triples[end][k] = p + points * k;
	return end;
}

/*
 * R. C. Bose's system with 15 points: three groups of five. The last point of a
 * triple is half the sum of the first two modulo 5, in the next group.
 */
static int
bose_triples(int (*triples)[3])
{
	int count = 0;

	for (int group = 0; group < 3; group++)
		for (int a = 0; a < 5; a++)
			for (int b = a + 1; b < 5; b++, count++) {
				triples[count][0] = 5 * group + a;
				triples[count][1] = 5 * group + b;
				triples[count][2] =
					5 * ((group + 1) % 3) + 3 * (a + b) % 5;
			}
	for (int a = 0; a < 5; a++, count++)
		for (int k = 0; k < 3; k++)
			triples[count][k] = 5 * k + a;
	return count;
}

/* A triangle for each triple; its vertices and the points are not joined. */
static struct clique_graph *
triples_graph(int points, int count, int (*triples)[3])
{
	struct clique_graph *graph = clique_graph_make(points + 3 * count);

	for (int i = 0; i < graph->vertices; i++) {
		int triple = (i - points) / 3;

		for (int j = 0; j < i; j++) {
			bool same = j >= points && (j - points) / 3 == triple;

			if (i < points ||
			    (!same && j != triples[triple][(i - points) % 3]))
				clique_join(graph, i, j);
		}
	}
	return graph;
}

static struct clique_graph *
mann_graph(const char *text, struct app_why *why)
{
	int triples[1080][3] = { { 0, 1, 2 } };
	int points = 3, count = 1;
	long number;

	if (!read_numbers(text, &(struct range){ 9, 81 }, 1, &number, why))
		return NULL;
	if (number == 45) {
		points = 15;
		count = bose_triples(triples);
	}
	while (points < number) {
		count = triple_points(points, count, triples);
		points *= 3;
	}
	if (points != number)
		return app_because(why, "it must be 9, 27, 45 or 81, not %ld",
				   number),
		       NULL;
	return triples_graph(points, count, triples);
}

const struct clique_family clique_families[] = {
	{ "random", "N,P,SEED", random_graph },
	{ "hamming", "N,D", hamming_graph },
	{ "johnson", "N,W,D", johnson_graph },
	{ "keller", "D", keller_graph },
	{ "mann", "N", mann_graph },
	{ NULL, NULL, NULL },
};
