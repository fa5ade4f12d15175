/*
 * sateen_range.h: loops of calls. A part of <sateen.h>, which programs include.
 *
 * Threads and errors are as in <sateen.h>.
 */
#ifndef STN_SATEEN_RANGE_H
#define STN_SATEEN_RANGE_H

#include "sateen_task.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * STN_SYNC_ALL(task, result) { body }
 * STN_SYNC_ALL_VOID(task);
 *
 * Syncs all calls that the running task (or STN_MAIN's body) has spawned and
 * not yet synced, in the reverse order of their spawns. All of them are calls
 * of @task. The body runs after each sync, with the call's result in the
 * variable @result, which the macro declares; a break in the body goes on with
 * the next call. STN_SYNC_ALL_VOID is for tasks without a result.
 *
 *	for (int i = 0; i < n; i++)
 *		STN_SPAWN(fib, i);
 *	STN_SYNC_ALL(fib, x)
 *		sum += x;
 *
 * A helper (STN_FRAME) syncs also what its task has spawned before it called
 * the helper.
 */
#define STN_SYNC_ALL(task, result)                                             \
	while (stn_frame->pending)                                             \
		for (__typeof__(task##_sync(stn_frame)) result =               \
			     task##_sync(stn_frame),                           \
						*stn_once = &result;           \
		     stn_once; stn_once = 0)
#define STN_SYNC_ALL_VOID(task)                                                \
	do {                                                                   \
		while (stn_frame->pending)                                     \
			task##_sync(stn_frame);                                \
	} while (0)

/*
 * An argument of a range: checks that an out or inout buffer has as many rows
 * as the range has rounds, and splits it.
 */
#define STN_ROWS_(x, t, a)                                                     \
	stn_range_rows(stn_frame->deque, STN_KIND_(x, a), &a,                  \
		       stn_end - stn_first);
#define STN_SPLIT_(x, t, a)                                                    \
	t stn_upper_##a = a;                                                   \
	stn_range_split(STN_KIND_(x, a), &a, &stn_upper_##a,                   \
			stn_half - stn_first);
#define STN_PASS_UPPER_(x, t, a) , stn_upper_##a

/* stn_range_unfit: ends a run in which a range has too many or too few rows. */
STN_NORETURN_ void stn_range_unfit(struct stn_deque *deque, uint32_t rows,
				   int64_t rounds);

/* A buffer: struct stn_in, stn_out and stn_inout, which have this layout. */
struct __attribute__((may_alias)) stn_buffer {
	char *at;
	uint32_t rows, row_bytes;
	uint64_t stride;
};

STN_INLINE_ void
stn_range_rows(struct stn_deque *deque, enum stn_argument_kind kind,
	       const void *argument, int64_t rounds)
{
	const struct stn_buffer *buffer = (const struct stn_buffer *)argument;

	if ((kind == STN_ARGUMENT_OUT || kind == STN_ARGUMENT_INOUT) &&
	    rounds >= 0 && buffer->rows != rounds)
		stn_range_unfit(deque, buffer->rows, rounds);
}

STN_INLINE_ void
stn_range_split(enum stn_argument_kind kind, void *lower, void *upper,
		int64_t rows)
{
	struct stn_buffer *low = (struct stn_buffer *)lower;
	struct stn_buffer *high = (struct stn_buffer *)upper;

	if (kind != STN_ARGUMENT_OUT && kind != STN_ARGUMENT_INOUT)
		return;
	low->rows = (uint32_t)rows;
	high->rows -= (uint32_t)rows;
	high->at += (uint64_t)rows * high->stride;
}

/*
 * STN_TASK_FOR(name, index, type, argument, ...) { body }
 * STN_FOR(name, first, end, arguments...);
 *
 * A loop whose rounds may run at the same time, on any node: STN_FOR runs the
 * body once for each @index from @first to @end - 1, and returns when all have
 * returned. @index is an int64_t; @end - @first is less than 2^63. The body is
 * that of a task without a result, which may itself spawn and sync. Its other
 * arguments are those of STN_FOR, except for out and inout buffers: these have
 * a row for each round, and the body gets only the row of its round. If there
 * are more or fewer rows, the run ends with one line.
 *
 *	STN_TASK_FOR(square, i, struct stn_out, row)
 *	{
 *		*(long *)row.at = i * i;
 *	}
 *
 *	long squares[100];
 *
 *	STN_FOR(square, 0, 100, STN_OUT_ROWS(squares, 100, 1, 1));
 *
 * The runtime halves the range again and again, and spawns the upper half each
 * time, so a thief gets half of what its victim has left. A spawn takes some
 * nanoseconds; if rounds take less, do several in one.
 *
 * The macro defines the tasks @name and name_each. Together with two numbers of
 * 8 bytes the arguments take at most 88 bytes.
 */
#define STN_TASK_FOR(name, index, ...)                                         \
	STN_TASK_VOID_FORWARD(name##_each, int64_t,                            \
			      index __VA_OPT__(, ) __VA_ARGS__);               \
	STN_TASK_VOID(name, int64_t, stn_first, int64_t,                       \
		      stn_end __VA_OPT__(, ) __VA_ARGS__)                      \
	{                                                                      \
		STN_PAIRS_(STN_ROWS_, name##_arguments, __VA_ARGS__)           \
		while (stn_end - stn_first > 1) {                              \
			int64_t stn_half =                                     \
				stn_first + (stn_end - stn_first) / 2;         \
			STN_PAIRS_(STN_SPLIT_, name##_arguments, __VA_ARGS__)  \
                                                                               \
			name##_spawn(stn_frame, stn_half,                      \
				     stn_end STN_PAIRS_(STN_PASS_UPPER_, _,    \
							__VA_ARGS__));         \
			stn_end = stn_half;                                    \
		}                                                              \
		if (stn_first < stn_end)                                       \
			name##_each_call(stn_frame->deque, stn_frame->head,    \
					 stn_first STN_PAIRS_(STN_PASS_, _,    \
							      __VA_ARGS__));   \
		STN_SYNC_ALL_VOID(name);                                       \
	}                                                                      \
	STN_TASK_BODY(void, name##_each, int64_t,                              \
		      index __VA_OPT__(, ) __VA_ARGS__)
#define STN_FOR(name, first, end, ...)                                         \
	STN_CALL(name, first, end __VA_OPT__(, ) __VA_ARGS__)

/*
 * STN_TASK_REDUCE(result, name, fold, index, type, argument, ...) { body }
 * STN_REDUCE(name, first, end, arguments...)
 *
 * The same for a body that returns a result: the value of STN_REDUCE is the
 * results of all rounds, folded. If there is no round, all its bytes are 0.
 * @fold  a function or macro of two results of type @result: fold(low, high) is
 *     the result of both. The indices in @low are lower, and those in @high
 *     follow them. Which results are folded depends only on @first and @end. So
 *     the value has the same bits wherever the rounds run, even if the fold
 *     rounds, as a sum of numbers of type double does.
 *
 *	#define SUM(a, b) ((a) + (b))
 *	STN_TASK_REDUCE(double, power, SUM, i, double, x)
 *	{
 *		return pow(x, (double)i);
 *	}
 *
 *	sum = STN_REDUCE(power, 0, 100, 0.5);
 */
#define STN_TASK_REDUCE(result, name, fold, index, ...)                        \
	STN_TASK_FORWARD(result, name##_each, int64_t,                         \
			 index __VA_OPT__(, ) __VA_ARGS__);                    \
	STN_TASK(result, name, int64_t, stn_first, int64_t,                    \
		 stn_end __VA_OPT__(, ) __VA_ARGS__)                           \
	{                                                                      \
		int64_t stn_half = stn_first + (stn_end - stn_first) / 2;      \
		result stn_low, stn_high;                                      \
                                                                               \
		if (stn_end <= stn_first) {                                    \
			memset((void *)&stn_low, 0, sizeof(stn_low));          \
			return stn_low;                                        \
		}                                                              \
		STN_PAIRS_(STN_ROWS_, name##_arguments, __VA_ARGS__)           \
		if (stn_end - stn_first == 1)                                  \
			return name##_each_call(                               \
				stn_frame->deque, stn_frame->head,             \
				stn_first STN_PAIRS_(STN_PASS_, _,             \
						     __VA_ARGS__));            \
		STN_PAIRS_(STN_SPLIT_, name##_arguments, __VA_ARGS__)          \
		name##_spawn(stn_frame, stn_half,                              \
			     stn_end STN_PAIRS_(STN_PASS_UPPER_, _,            \
						__VA_ARGS__));                 \
		stn_low = name##_call(stn_frame->deque, stn_frame->head,       \
				      stn_first,                               \
				      stn_half STN_PAIRS_(STN_PASS_, _,        \
							  __VA_ARGS__));       \
		stn_high = name##_sync(stn_frame);                             \
		return fold(stn_low, stn_high);                                \
	}                                                                      \
	STN_TASK_BODY(result, name##_each, int64_t,                            \
		      index __VA_OPT__(, ) __VA_ARGS__)
#define STN_REDUCE(name, first, end, ...)                                      \
	STN_CALL(name, first, end __VA_OPT__(, ) __VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif
