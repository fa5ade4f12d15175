#include "apps/setcover/problem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "apps/random.h"
#include "apps/words.h"

#define FILE_BYTES_MOST (1 << 22)

static void
put(struct setcover_set *set, int element)
{
	set->elements[element / 64] |= 1ull << element % 64;
}

static bool
read_costs(struct words *words, struct setcover *problem)
{
	long cost;

	for (int i = 0; i < problem->sets; i++) {
		if (!words_whole(words, "a set's cost", 1, SETCOVER_COST_MOST,
				 &cost))
			return false;
		problem->set[i] = (struct setcover_set){
			.cost = (int32_t)cost,
			.number = i + 1,
		};
	}
	return true;
}

static bool
read_element(struct words *words, struct setcover *problem, int element)
{
	long sets, set;

	if (!words_whole(words, "an element's number of sets", 1, problem->sets,
			 &sets))
		return false;
	while (sets--) {
		if (!words_whole(words, "a set", 1, problem->sets, &set))
			return false;
		if (setcover_has(&problem->set[set - 1], element))
			return words_fail(words,
					  "set %ld comes twice for element %d",
					  set, element + 1);
		put(&problem->set[set - 1], element);
	}
	return true;
}

static bool
read_problem(struct words *words, struct setcover *problem)
{
	long elements, sets;

	if (!words_whole(words, "the number of elements", 1,
			 SETCOVER_ELEMENTS_MOST, &elements) ||
	    !words_whole(words, "the number of sets", 1, SETCOVER_SETS_MOST,
			 &sets))
		return false;
	problem->elements = (int32_t)elements;
	problem->sets = (int32_t)sets;
	if (!read_costs(words, problem))
		return false;
	for (int i = 0; i < problem->elements; i++)
		if (!read_element(words, problem, i))
			return false;
	return !words_next(words) ||
	       words_fail(words, "'%s' after the last element", words->word);
}

bool
setcover_parse(const char *path, const char *text, size_t bytes,
	       struct setcover *problem, struct app_why *why)
{
	struct words words = { path, text, text + bytes, why, 1, '\n', "" };

	if (!read_problem(&words, problem))
		return false;
	/* If the file were cut within its last number, nothing would tell. */
	return text[bytes - 1] <= ' ' ||
	       words_fail(&words, "the file ends within a line");
}

bool
setcover_read(const char *path, struct setcover *problem, struct app_why *why)
{
	size_t bytes;
	char *text = app_read_file(path, FILE_BYTES_MOST, &bytes, why);
	bool read = text && setcover_parse(path, text, bytes, problem, why);

	free(text);
	return read;
}

/* The number of sets that have the element. */
static int
count_sets(const struct setcover *problem, int element)
{
	int count = 0, i;

	for (i = 0; i < problem->sets; i++)
		count += setcover_has(&problem->set[i], element);
	return count;
}

static void
print(FILE *file, const struct setcover *problem)
{
	fprintf(file, "%d %d\n", problem->elements, problem->sets);
	for (int i = 0; i < problem->sets; i++)
		fprintf(file, "%d\n", problem->set[i].cost);
	for (int i = 0; i < problem->elements; i++) {
		fprintf(file, "%d\n", count_sets(problem, i));
		for (int j = 0; j < problem->sets; j++)
			if (setcover_has(&problem->set[j], i))
				fprintf(file, " %d", problem->set[j].number);
		fprintf(file, "\n");
	}
}

bool
setcover_write(const char *path, const struct setcover *problem,
	       struct app_why *why)
{
	FILE *file = fopen(path, "w");
	bool failed;

	if (!file)
		return app_because(why, "%s: %s", path, strerror(errno));
	print(file, problem);
	failed = ferror(file);
	failed |= fclose(file) != 0;
	return !failed || app_because(why, "%s: %s", path, strerror(errno));
}

void
setcover_generate(struct setcover *problem, int elements, int sets, int percent,
		  uint64_t seed)
{
	struct app_random random = { seed };

	problem->elements = elements;
	problem->sets = sets;
	for (int i = 0; i < sets; i++) {
		problem->set[i] = (struct setcover_set){
			.cost = 1,
			.number = i + 1,
		};
		for (int j = 0; j < elements; j++)
			if (app_random(&random, 100) < (uint64_t)percent)
				put(&problem->set[i], j);
	}
	for (int j = 0; j < elements; j++)
		if (!count_sets(problem, j))
			put(&problem->set[app_random(&random, (uint64_t)sets)],
			    j);
}
