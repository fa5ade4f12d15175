/*
 * cut.c: the questions of a cut into many parts, and those that no cut asks.
 */
#include "parts/cells/cut.h"
#include "tests/tap.h"

static struct stn_question *
make_questions(uint32_t count, uint32_t levels)
{
	struct stn_question *questions = calloc(count, sizeof(questions[0]));

	if (!questions)
		abort();
	for (uint32_t i = 0; i < count; i++)
		questions[i] = (struct stn_question){
			.level = 7, .levels = levels, .bins = i << 3 * levels
		};
	return questions;
}

/* Each cell that is asked about has three records, and a part has two. */
static void
test_cut(void)
{
	struct stn_cut cut;
	bool valid = true;

	if (stn_cut_begin(&cut, 1u << 20, 2))
		abort();
	while (cut.count && cut.count <= STN_CUT_BINS_MOST) {
		uint64_t *counts = calloc(cut.bins, sizeof(counts[0]));

		if (!counts)
			abort();
		for (uint32_t i = 0; i < cut.bins; i++)
			counts[i] = 3;
		if (stn_cut_answer(&cut, counts))
			abort();
		free(counts);
		valid &= stn_questions_valid(cut.questions, cut.count,
					     cut.bins);
	}
	tap_ok(valid && cut.count, "a cut may ask %u questions", cut.count);
	stn_cut_fini(&cut);
}

/* A node that took them would need a thousand times the memory. */
static void
test_wrong(void)
{
	const uint32_t count = 300;
	struct stn_question *questions = make_questions(count, 4);

	tap_ok(stn_questions_valid(questions, 256, STN_CUT_BINS_MOST) &&
		       !stn_questions_valid(questions, count,
					    (size_t)count << 12),
	       "%u questions of four levels are not", count);
	free(questions);
}

int
main(void)
{
	tap_begin();
	test_cut();
	test_wrong();
	return tap_end();
}
