/*
 * cut.h: finds the leaves of the octree: cells with at most a given number of
 * records, as large as possible. It needs counts of the records in cells, and
 * asks for them in rounds, some levels in a round, because the records are on
 * many nodes. Only arithmetic.
 */
#ifndef STN_PARTS_CUT_H
#define STN_PARTS_CUT_H

#include "parts/cells/octree.h"

/* Of a round. If it has more, each of its questions is for one level only. */
#define STN_CUT_BINS_MOST (1u << 20)

/*
 * Asks how many records are in each of the cells that are @levels levels below
 * a cell; also on the wire. The counts are at @bins, in Morton order.
 */
struct stn_question {
	struct stn_record_key key; /* the lowest one of the cell */
	uint32_t level, levels;
	uint32_t bins; /* the place of the first count */
	uint32_t unused;
};

struct stn_cut {
	uint64_t most; /* records of a leaf */
	struct stn_question *questions;
	uint32_t count, room;
	uint32_t bins; /* of all questions */
	struct stn_leaf *leaves;
	uint32_t leaf_count, leaf_room;
};

/*
 * stn_cut_begin: begins a cut of @records records, all in the cube, into leaves
 * of at most @most.
 * stn_cut_answer: takes the counts that the questions ask for, cut->bins of
 * them. Then @cut has other questions; if it has none, the leaves are complete,
 * and in order.
 * STN_NO_MEMORY. stn_cut_fini frees all, also after an error.
 */
STN_CHECKED enum stn_err stn_cut_begin(struct stn_cut *cut, uint64_t records,
				       uint64_t most);
STN_CHECKED enum stn_err stn_cut_answer(struct stn_cut *cut,
					const uint64_t *counts);
void stn_cut_fini(struct stn_cut *cut);

/*
 * stn_questions_valid: whether a cut may ask these @count questions, whose counts
 * take @bins.
 */
bool stn_questions_valid(const struct stn_question *questions, size_t count,
			 size_t bins);

/*
 * stn_questions_count: counts @keys keys, which are in order, for each
 * question.
 */
void stn_questions_count(const struct stn_question *questions, size_t count,
			 const struct stn_record_key *keys, size_t key_count,
			 uint64_t *counts);

#endif
