/*
 * sateen_kernel.h: the macros that make the functions of a kernel. Programs use
 * the macros of <sateen_parts.h>, which expand to these.
 */
#ifndef STN_SATEEN_KERNEL_H
#define STN_SATEEN_KERNEL_H

#include "sateen_task.h"

/*
 * clang-format would break the macros below across lines that belong together.
 */
/* clang-format off */

#define STN_KERNEL_TYPES_(name, element, ...)                                  \
	struct __attribute__((may_alias)) name##_arguments {                   \
		STN_PAIRS_(STN_MEMBER_, _, __VA_ARGS__)                        \
	};                                                                     \
	STN_PAIRS_(STN_CHECK_SCALAR_, name, __VA_ARGS__)                       \
	STN_STATIC_ASSERT_(                                                    \
		(0 __VA_OPT__(+sizeof(struct name##_arguments))) <=            \
			STN_ARGUMENT_BYTES,                                    \
		"the arguments of kernel " #name " take more than 88 bytes"); \
	struct name##_at {                                                     \
		element *to;                                                   \
		const element *from;                                           \
		long planes, rows, columns;                                    \
		long plane_stride, stride;                                     \
		long plane, row, column;                                       \
		int parity, colours;                                           \
	};                                                                     \
	STN_STATIC_ASSERT_(offsetof(struct name##_at, colours) ==              \
				   offsetof(struct stn_at, colours),           \
			   "struct " #name "_at has the layout of struct stn_at");

/*
 * A kernel is a task whose result place is the struct stn_at that it is called
 * for.
 */
#define STN_KERNEL_OBJECT_(name, value_is, kind, ...)                          \
	static const struct stn_argument name##_describe[] = {                 \
		STN_PAIRS_(STN_DESCRIBE_, name##_arguments, __VA_ARGS__)       \
		{ NULL, 0, 0, STN_ARGUMENT_SCALAR },                           \
	};                                                                     \
	static void name##_run(struct stn_deque *stn_d,                        \
			       const struct stn_record *stn_r,                 \
			       struct stn_record *stn_head, void *stn_place)   \
	{                                                                      \
		const struct name##_arguments *stn_a =                         \
			(const struct name##_arguments *)stn_r->arguments;     \
		struct stn_at *stn_base = (struct stn_at *)stn_place;          \
		struct name##_at stn_typed;                                    \
                                                                               \
		(void)stn_d;                                                   \
		(void)stn_a;                                                   \
		(void)stn_head;                                                \
		memcpy(&stn_typed, stn_base, sizeof(stn_typed));               \
		value_is name##_body(&stn_typed STN_PAIRS_(STN_LOAD_, _,       \
							   __VA_ARGS__));      \
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

#define STN_KERNEL_CALL_(name, result, return_, verb, ...)                     \
	static inline __attribute__((unused)) result name##_##verb(            \
		struct stn_frame *stn_f, struct stn_parts *stn_p,              \
		enum stn_parts_what stn_w,                                     \
		uint64_t stn_c STN_PAIRS_(STN_PARAMETER_, _, __VA_ARGS__))     \
	{                                                                      \
		const struct name##_arguments stn_a = { STN_PAIRS_(            \
			STN_STORE_, _, __VA_ARGS__) };                         \
                                                                               \
		return_ stn_parts_##verb(                                      \
			stn_f, stn_p, stn_w, stn_c, &name##_task,              \
			sizeof(*((struct name##_at *)0)->to), &stn_a);         \
	}
/* clang-format on */

#endif
