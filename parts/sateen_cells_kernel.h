/*
 * sateen_cells_kernel.h: the macros that make the functions of a kernel of cells.
 * Programs use the macros of <sateen_cells.h>, which expand to these.
 */
#ifndef STN_SATEEN_CELLS_KERNEL_H
#define STN_SATEEN_CELLS_KERNEL_H

#include "sateen_task.h"

#define STN_CELLS_ARGUMENT_BYTES 80

/* clang-format off */

#define STN_NOTHING_(stn_place, call) call
#define STN_VALUE_(stn_place, call) stn_place->value = call
#define STN_CELLS_ARGUMENTS_(name, ...)                                        \
	struct __attribute__((may_alias)) name##_arguments {                   \
		STN_PAIRS_(STN_MEMBER_, _, __VA_ARGS__)                        \
	};                                                                     \
	STN_PAIRS_(STN_CHECK_SCALAR_, name, __VA_ARGS__)                       \
	STN_STATIC_ASSERT_(                                                    \
		(0 __VA_OPT__(+sizeof(struct name##_arguments))) <=            \
			STN_CELLS_ARGUMENT_BYTES,                              \
		"the arguments of kernel " #name " take more than 80 bytes");
#define STN_CELLS_TYPES_(name, type, ...)                                      \
	STN_CELLS_ARGUMENTS_(name, __VA_ARGS__)                                \
	struct __attribute__((may_alias)) name##_near {                        \
		struct stn_cell cell;                                          \
		uint32_t part;                                                 \
		const type *records;                                           \
		long count;                                                    \
		const void *summary;                                           \
		size_t summary_bytes;                                          \
	};                                                                     \
	struct __attribute__((may_alias)) name##_at {                          \
		type *records;                                                 \
		const uint64_t *indices;                                       \
		const struct name##_near *near;                                \
		const struct stn_far *far;                                     \
		long count, first, part;                                       \
		long near_count, far_count;                                    \
		struct stn_cell cell, whole;                                   \
		const void *summary;                                           \
		size_t summary_bytes;                                          \
		uint64_t work;                                                 \
		double value;                                                  \
		struct stn_cells_inside *inside;                               \
	};                                                                     \
	STN_STATIC_ASSERT_(sizeof(struct name##_at) ==                         \
				   sizeof(struct stn_cells_at),                \
			   "the two have the same members");

/* A kernel is a task whose result place is what it is called for. */
#define STN_CELLS_OBJECT_(name, place_type, value_is, kind, ...)               \
	static const struct stn_argument name##_describe[] = {                 \
		STN_PAIRS_(STN_DESCRIBE_, name##_arguments, __VA_ARGS__)       \
		{ NULL, 0, 0, STN_ARGUMENT_SCALAR },                           \
	};                                                                     \
	static void name##_run(struct stn_deque *stn_d,                        \
			       const struct stn_record *stn_r,                 \
			       struct stn_record *stn_head, void *stn_result)  \
	{                                                                      \
		const struct name##_arguments *stn_a =                         \
			(const struct name##_arguments *)stn_r->arguments;     \
		place_type *stn_place = (place_type *)stn_result;              \
                                                                               \
		(void)stn_d;                                                   \
		(void)stn_a;                                                   \
		(void)stn_head;                                                \
		value_is(stn_place,                                            \
			 name##_body(stn_place STN_PAIRS_(STN_LOAD_, _,        \
							  __VA_ARGS__)));      \
	}                                                                      \
	static const struct stn_task name##_task = {                           \
		#name,                                                         \
		kind,                                                          \
		name##_run,                                                    \
		name##_describe,                                               \
		0 STN_PAIRS_(STN_COUNT_, _, __VA_ARGS__),                      \
		0 __VA_OPT__(+sizeof(struct name##_arguments)),                \
		0,                                                             \
	};                                                                     \
	static struct stn_task_entry name##_entry = { &name##_task, NULL };    \
	static __attribute__((constructor)) void name##_register(void)         \
	{                                                                      \
		stn_task_register(&name##_entry);                              \
	}
#define STN_CELLS_CALL_(name, bytes, ...)                                      \
	static inline __attribute__((unused)) double name##_cells(             \
		struct stn_frame *stn_f, struct stn_parts *stn_p,              \
		enum stn_parts_what stn_w,                                     \
		const struct stn_task *stn_t STN_PAIRS_(STN_PARAMETER_, _,     \
							__VA_ARGS__))          \
	{                                                                      \
		const struct name##_arguments stn_a = { STN_PAIRS_(            \
			STN_STORE_, _, __VA_ARGS__) };                         \
                                                                               \
		return stn_cells_run(stn_f, stn_p, stn_w, &name##_task, stn_t, \
				     bytes, &stn_a);                           \
	}
/* clang-format on */

#endif
