#include "apps/knapsack/problem.h"

#include <math.h>
#include <stdlib.h>

#include "apps/random.h"
#include "apps/words.h"

#define FILE_BYTES_MOST (1 << 22)

static bool
read_value(struct words *words, const char *what, double most, int64_t *value_p)
{
	double value, units;

	if (!words_number(words, what, most, &value))
		return false;
	units = round(value * KNAPSACK_UNIT);
	if (value < 0)
		return words_fail(words, "%s must not be negative: '%s'", what,
				  words->word);
	if (fabs(value * KNAPSACK_UNIT - units) > 1e-3)
		return words_fail(words,
				  "%s has at most three decimals, not "
				  "'%s'",
				  what, words->word);
	*value_p = (int64_t)units;
	return true;
}

static bool
read_size(struct words *words, struct knapsack *problem, int64_t *best_p)
{
	double most = (double)KNAPSACK_VALUE_MOST * KNAPSACK_ITEMS_MOST;
	long items, measures;

	if (!words_whole(words, "the number of items", 1, KNAPSACK_ITEMS_MOST,
			 &items) ||
	    !words_whole(words, "the number of constraints", 1,
			 KNAPSACK_MEASURES_MOST, &measures))
		return false;
	*problem = (struct knapsack){ .items = (int32_t)items,
				      .measures = (int32_t)measures };
	return read_value(words, "the best value", most, best_p);
}

static bool
read_weight(struct words *words, const char *what, int32_t *weight_p)
{
	long weight;

	if (!words_whole(words, what, 0, KNAPSACK_WEIGHT_MOST, &weight))
		return false;
	*weight_p = (int32_t)weight;
	return true;
}

static bool
read_problem(struct words *words, struct knapsack *problem, int64_t *best_p)
{
	if (!read_size(words, problem, best_p))
		return false;
	for (int i = 0; i < problem->items; i++) {
		problem->item[i].number = i + 1;
		if (!read_value(words, "an item's value", KNAPSACK_VALUE_MOST,
				&problem->item[i].value))
			return false;
	}
	for (int j = 0; j < problem->measures; j++)
		for (int i = 0; i < problem->items; i++)
			if (!read_weight(words, "an item's weight",
					 &problem->item[i].weight[j]))
				return false;
	for (int j = 0; j < problem->measures; j++)
		if (!read_weight(words, "the room", &problem->room[j]))
			return false;
	return true;
}

static bool
read_all(struct words *words, long number, struct knapsack *problem,
	 int64_t *best_p)
{
	struct knapsack other;
	int64_t other_best;
	long problems, i;

	if (!words_whole(words, "the number of problems", 1,
			 KNAPSACK_PROBLEMS_MOST, &problems))
		return false;
	for (i = 1; i <= problems; i++)
		if (!read_problem(words, i == number ? problem : &other,
				  i == number ? best_p : &other_best))
			return false;
	if (words_next(words))
		return words_fail(words, "'%s' after the last problem",
				  words->word);
	return number <= problems ||
	       app_because(words->why, "%s: there is no problem %ld",
			   words->path, number);
}

bool
knapsack_parse(const char *path, const char *text, size_t bytes, long number,
	       struct knapsack *problem, int64_t *best_p, struct app_why *why)
{
	struct words words = { path, text, text + bytes, why, 1, '\n', "" };

	if (!read_all(&words, number, problem, best_p))
		return false;
	/* If the file were cut within its last number, nothing would tell. */
	return text[bytes - 1] <= ' ' ||
	       words_fail(&words, "the file ends within a line");
}

bool
knapsack_read(const char *path, long number, struct knapsack *problem,
	      int64_t *best_p, struct app_why *why)
{
	size_t bytes;
	char *text = app_read_file(path, FILE_BYTES_MOST, &bytes, why);
	bool read = text && knapsack_parse(path, text, bytes, number, problem,
					   best_p, why);

	free(text);
	return read;
}

void
knapsack_generate(struct knapsack *problem, int items, int measures,
		  uint64_t seed)
{
	enum { WEIGHT_MOST = 1000 };
	struct app_random random = { seed };
	int64_t sum[KNAPSACK_MEASURES_MOST] = { 0 };

	*problem = (struct knapsack){ .items = items, .measures = measures };
	for (int i = 0; i < items; i++) {
		struct knapsack_item *item = &problem->item[i];

		item->number = i + 1;
		for (int j = 0; j < measures; j++) {
			item->weight[j] =
				1 + (int32_t)app_random(&random, WEIGHT_MOST);
			item->value += item->weight[j];
			sum[j] += item->weight[j];
		}
		item->value = (item->value / measures + WEIGHT_MOST / 10) *
			      KNAPSACK_UNIT;
	}
	for (int j = 0; j < measures; j++)
		problem->room[j] = (int32_t)(sum[j] / 2);
}
