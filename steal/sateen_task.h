/*
 * sateen_task.h: the macros that make the functions of a task. Programs use
 * the macros of <sateen.h>, which expand to these.
 */
#ifndef STN_SATEEN_TASK_H
#define STN_SATEEN_TASK_H

#include "sateen_pairs.h"
#include "sateen_record.h"

/*
 * clang-format would break the macros below across lines that belong together.
 */
/* clang-format off */

#define STN_MEMBER_(x, t, a) t a;
#define STN_PARAMETER_(x, t, a) , t a
#define STN_STORE_(x, t, a) a,
#define STN_PASS_(x, t, a) , a
#define STN_LOAD_(x, t, a) , stn_a->a
/*
 * The fence becomes no instruction. It keeps GCC from packing several arguments
 * into a vector, which takes more instructions than it saves. The first argument
 * needs none.
 */
#define STN_WRITE_(x, t, a)                                                    \
	if (offsetof(struct x, a))                                             \
		__atomic_signal_fence(__ATOMIC_RELEASE);                       \
	stn_a->a = a;
#define STN_COUNT_(x, t, a) +1
#define STN_DESCRIBE_(x, t, a)                                                 \
	{ #t, offsetof(struct x, a), sizeof(t), STN_KIND_(x, a) },

/*
 * STN_IS_POINTER_(type) is a constant. In C++ it is also true for references
 * and pointers to members.
 *
 * STN_KIND_(x, a): what the argument @a is. In C++ a class that is derived from
 * a buffer is a buffer, too, for example sateen::in<int>, which is derived from
 * stn_in. stn_kind has no overload for stn_in and the others, because for a
 * derived class the compiler would still prefer the template.
 */
#ifdef __cplusplus
template <class type> constexpr stn_argument_kind
stn_kind(const type *)
{
	return __is_base_of(stn_in, type)      ? STN_ARGUMENT_IN
	       : __is_base_of(stn_out, type)   ? STN_ARGUMENT_OUT
	       : __is_base_of(stn_inout, type) ? STN_ARGUMENT_INOUT
	       : __is_base_of(stn_bound, type) ? STN_ARGUMENT_BOUND
	       : __is_base_of(stn_const, type) ? STN_ARGUMENT_CONST
					       : STN_ARGUMENT_SCALAR;
}
template <class type> struct stn_is_pointer {
	static constexpr bool value = false;
};
template <class type> struct stn_is_pointer<const type> {
	static constexpr bool value = stn_is_pointer<type>::value;
};
template <class type> struct stn_is_pointer<volatile type> {
	static constexpr bool value = stn_is_pointer<type>::value;
};
template <class type> struct stn_is_pointer<const volatile type> {
	static constexpr bool value = stn_is_pointer<type>::value;
};
template <class type> struct stn_is_pointer<type *> {
	static constexpr bool value = true;
};
template <class type> struct stn_is_pointer<type &> {
	static constexpr bool value = true;
};
template <class type> struct stn_is_pointer<type &&> {
	static constexpr bool value = true;
};
template <class type, class of> struct stn_is_pointer<type of::*> {
	static constexpr bool value = true;
};
#define STN_IS_POINTER_(type) stn_is_pointer<type>::value
#define STN_MEMBER_TYPE_(x, a) decltype(x::a)
#define STN_KIND_(x, a) stn_kind((decltype(x::a) *)0)
#define STN_PLAIN_(x)                                                          \
	static_assert(__is_trivially_copyable(x),                              \
		      "a task's arguments and result are copied as bytes");
#define STN_LITERAL_(kind) kind
#else
/* GCC and Clang give the classes of types the same numbers; 5 is a pointer. */
#define STN_IS_POINTER_(type)                                                  \
	(__builtin_classify_type(*(__typeof__(type) *)0) == 5)
#define STN_MEMBER_TYPE_(x, a) __typeof__(((struct x *)0)->a)
#define STN_KIND_(x, a)                                                        \
	_Generic(((struct x *)0)->a,                                           \
		struct stn_in: STN_ARGUMENT_IN,                                \
		struct stn_out: STN_ARGUMENT_OUT,                              \
		struct stn_inout: STN_ARGUMENT_INOUT,                          \
		struct stn_bound: STN_ARGUMENT_BOUND,                          \
		struct stn_const: STN_ARGUMENT_CONST,                          \
		default: STN_ARGUMENT_SCALAR)
#define STN_PLAIN_(x)
#define STN_LITERAL_(kind) (struct kind)
#endif

/*
 * STN_IS_WHOLE_(x, a): false if the argument @a is a class of C++ that adds
 * members to a buffer. Of a buffer's argument, the key of a call has only the
 * buffer, which stands at the argument's start.
 */
#define STN_IS_WHOLE_(x, a)                                                    \
	((STN_KIND_(x, a) != STN_ARGUMENT_IN &&                                \
	  STN_KIND_(x, a) != STN_ARGUMENT_OUT &&                               \
	  STN_KIND_(x, a) != STN_ARGUMENT_INOUT) ||                            \
	 sizeof(STN_MEMBER_TYPE_(x, a)) == sizeof(struct stn_in))

/*
 * An address means nothing in another process. A task that takes or returns an
 * address would work until another node steals one of its calls.
 */
#define STN_CHECK_(x, t, a)                                                    \
	STN_STATIC_ASSERT_(                                                    \
		!STN_IS_POINTER_(STN_MEMBER_TYPE_(x##_arguments, a)),          \
		"argument " #a " of task " #x                                  \
		" is a pointer: pass a buffer (STN_IN ...) instead");          \
	STN_STATIC_ASSERT_(                                                    \
		STN_IS_WHOLE_(x##_arguments, a),                               \
		"argument " #a " of task " #x                                  \
		" adds members to a buffer: pass them as other arguments");

/* Kernels have no frame, which buffers, bounds and constants need. */
#define STN_CHECK_SCALAR_(x, t, a)                                             \
	STN_CHECK_(x, t, a)                                                    \
	STN_STATIC_ASSERT_(                                                    \
		STN_KIND_(x##_arguments, a) == STN_ARGUMENT_SCALAR,            \
		"argument " #a " of kernel " #x                                \
		" is a buffer, a bound or a constant: pass a value instead");

/*
 * Differences between tasks with a result (STN_VALUE_...) and tasks without
 * (STN_VOID_...).
 */
#define STN_VALUE_BYTES_(result) sizeof(result)
#define STN_VALUE_CHECK_(result, name)                                         \
	STN_PLAIN_(result)                                                     \
	STN_STATIC_ASSERT_(!STN_IS_POINTER_(result),                           \
			   "the result of task " #name                         \
			   " is a pointer: pass a buffer (STN_OUT ...) instead");
#define STN_VALUE_KEEP_(result) result stn_value =
#define STN_VALUE_RETURN_ return stn_value
#define STN_VALUE_PUT_(place) memcpy(place, &stn_value, sizeof(stn_value))
#define STN_VALUE_HOLD_(result) result stn_value;
#define STN_VALUE_PLACE_ &stn_value
#define STN_VOID_BYTES_(result) 0
#define STN_VOID_CHECK_(result, name)
#define STN_VOID_KEEP_(result)
#define STN_VOID_RETURN_ return
#define STN_VOID_PUT_(place) (void)(place)
#define STN_VOID_HOLD_(result)
#define STN_VOID_PLACE_ NULL

/*
 * A task T has these functions:
 *
 *	T_body	the user's code, inlined into T_call
 *	T_call	a plain call: runs the body with a new frame
 *	T_enter	T_call from a frame, whose head it reads: a function, because
 *		the arguments of STN_CALL may spawn and sync, and the compiler
 *		may read the head before or after it evaluates them
 *	T_run	runs a record: loads the arguments and calls T_call
 *	T_spawn	pushes a record; its slow path is T_spawn_slow
 *	T_sync	pops a record and calls T_call; its slow path is T_sync_slow
 *
 * Arguments are stored into their record, and loaded from it, one by one. A
 * processor is slow to load several small stores as one piece. T_spawn stores
 * them before it knows which path it takes: the slot at the head is free on
 * both paths, and if T_spawn_slow took the arguments as parameters, the plain
 * path would first copy each structure among them. If a call's own spawns reuse
 * the slot of its record, the call has loaded its arguments before.
 */

/* The structure of the arguments, and the checks of all types. */
#define STN_TASK_TYPES_(kind, result, name, ...)                               \
	struct __attribute__((may_alias)) name##_arguments {                   \
		STN_PAIRS_(STN_MEMBER_, _, __VA_ARGS__)                        \
	};                                                                     \
	STN_STATIC_ASSERT_(__alignof__(struct name##_arguments) <= 8,          \
			   "an argument of task " #name                        \
			   " wants to be aligned to more than 8 bytes");       \
	STN_STATIC_ASSERT_(                                                    \
		sizeof(struct name##_arguments) <= STN_ARGUMENT_BYTES,         \
		"the arguments of task " #name                                 \
		" take more than 88 bytes: put some into a buffer");           \
	STN_STATIC_ASSERT_(STN_##kind##_BYTES_(result) <= STN_ARGUMENT_BYTES,  \
			   "the result of task " #name                         \
			   " takes more than 88 bytes: use an out buffer");    \
	STN_PLAIN_(struct name##_arguments)                                    \
	STN_##kind##_CHECK_(result, name)                                      \
	STN_PAIRS_(STN_CHECK_, name, __VA_ARGS__)

/* What only the file has that defines the task. */
#define STN_TASK_OBJECT_(linkage, specifiers, kind, result, name, ...)         \
	static const struct stn_argument name##_describe[] = {                 \
		STN_PAIRS_(STN_DESCRIBE_, name##_arguments, __VA_ARGS__)       \
		{ NULL, 0, 0, STN_ARGUMENT_SCALAR },                           \
	};                                                                     \
	static void name##_run(struct stn_deque *, const struct stn_record *,  \
			       struct stn_record *, void *);                   \
	linkage const struct stn_task name##_task = {                          \
		#name,                                                         \
		#result,                                                       \
		name##_run,                                                    \
		name##_describe,                                               \
		0 STN_PAIRS_(STN_COUNT_, _, __VA_ARGS__),                      \
		0 __VA_OPT__(+sizeof(struct name##_arguments)),                \
		STN_##kind##_BYTES_(result),                                   \
	};                                                                     \
	static struct stn_task_entry name##_entry = { &name##_task, NULL };    \
	static __attribute__((constructor)) void name##_register(void)         \
	{                                                                      \
		stn_task_register(&name##_entry);                              \
	}                                                                      \
                                                                               \
	STN_INLINE_ result name##_body(                                        \
		struct stn_frame *stn_frame STN_PAIRS_(STN_PARAMETER_, _,      \
						       __VA_ARGS__));          \
                                                                               \
	specifiers STN_CODE_ALIGNED_ result name##_call(                       \
		struct stn_deque *stn_d, struct stn_record *stn_head           \
			STN_PAIRS_(STN_PARAMETER_, _, __VA_ARGS__))            \
	{                                                                      \
		struct stn_frame stn_f = { stn_d, stn_head, 0 };               \
		STN_##kind##_KEEP_(result) name##_body(                        \
			&stn_f STN_PAIRS_(STN_PASS_, _, __VA_ARGS__));         \
                                                                               \
		if (!STN_LIKELY(!stn_f.pending))                               \
			stn_unsynced(stn_d, &name##_task);                     \
		STN_##kind##_RETURN_;                                          \
	}                                                                      \
                                                                               \
	static void name##_run(struct stn_deque *stn_d,                        \
			       const struct stn_record *stn_r,                 \
			       struct stn_record *stn_head, void *stn_place)   \
	{                                                                      \
		const struct name##_arguments *stn_a =                         \
			(const struct name##_arguments *)stn_r->arguments;     \
                                                                               \
		(void)stn_a;                                                   \
		STN_##kind##_KEEP_(result) name##_call(                        \
			stn_d, stn_head STN_PAIRS_(STN_LOAD_, _,               \
						   __VA_ARGS__));              \
		STN_##kind##_PUT_(stn_place);                                  \
	}

/* What each file has that spawns and syncs the task. */
#define STN_TASK_USE_(kind, result, name, ...)                                 \
	STN_COLD_ struct stn_record *name##_spawn_slow(                        \
		struct stn_deque *stn_d, struct stn_record *stn_r)             \
	{                                                                      \
		return stn_spawn_slow(stn_d, stn_r, &name##_task,              \
				      stn_r->arguments);                       \
	}                                                                      \
                                                                               \
	STN_INLINE_ void name##_spawn(                                         \
		struct stn_frame *stn_f STN_PAIRS_(STN_PARAMETER_, _,          \
						   __VA_ARGS__))               \
	{                                                                      \
		struct stn_record *stn_r = stn_f->head;                        \
		struct name##_arguments *stn_a =                               \
			(struct name##_arguments *)stn_r->arguments;           \
                                                                               \
		(void)stn_a;                                                   \
		stn_f->pending++;                                              \
		STN_PAIRS_(STN_WRITE_, name##_arguments, __VA_ARGS__)          \
		if (STN_LIKELY(stn_spawn_plain(stn_f->deque, stn_r))) {        \
			stn_push(stn_r, &name##_task);                         \
			stn_f->head = stn_r + 1;                               \
			__atomic_signal_fence(__ATOMIC_SEQ_CST);               \
			if (!STN_LIKELY(stn_spawn_plain(stn_f->deque, stn_r))) \
				stn_spawn_late(stn_f->deque, stn_r);           \
		} else {                                                       \
			stn_f->head = name##_spawn_slow(stn_f->deque, stn_r);  \
		}                                                              \
	}                                                                      \
                                                                               \
	STN_INLINE_ result name##_enter(                                       \
		struct stn_frame *stn_f STN_PAIRS_(STN_PARAMETER_, _,          \
						   __VA_ARGS__))               \
	{                                                                      \
		STN_##kind##_KEEP_(result) name##_call(                        \
			stn_f->deque, stn_f->head STN_PAIRS_(STN_PASS_, _,     \
							     __VA_ARGS__));    \
		STN_##kind##_RETURN_;                                          \
	}                                                                      \
                                                                               \
	STN_COLD_ struct stn_record *name##_sync_slow(                         \
		struct stn_deque *stn_d, struct stn_record *stn_r,             \
		void *stn_result)                                              \
	{                                                                      \
		return stn_sync_slow(stn_d, stn_r, &name##_task, stn_result);  \
	}                                                                      \
                                                                               \
	STN_INLINE_ result name##_sync(                                        \
		struct stn_frame *stn_f)                                       \
	{                                                                      \
		struct stn_record *stn_r = stn_last(stn_f, &name##_task);      \
                                                                               \
		if (STN_LIKELY(stn_pop(stn_r))) {                              \
			const struct name##_arguments *stn_a =                 \
				(const struct name##_arguments *)              \
					stn_r->arguments;                      \
                                                                               \
			(void)stn_a;                                           \
			stn_f->head = stn_r;                                   \
			STN_##kind##_KEEP_(result) name##_call(                \
				stn_f->deque, stn_r STN_PAIRS_(                \
						      STN_LOAD_, _,            \
						      __VA_ARGS__));           \
			STN_##kind##_RETURN_;                                  \
		} else {                                                       \
			STN_##kind##_HOLD_(result)                             \
                                                                               \
			stn_f->head = name##_sync_slow(stn_f->deque, stn_r,    \
						       STN_##kind##_PLACE_);   \
			STN_##kind##_RETURN_;                                  \
		}                                                              \
	}

/* A task that is static to its file. */
#define STN_TASK_DECLARE_(kind, result, name, ...)                             \
	STN_TASK_TYPES_(kind, result, name, __VA_ARGS__)                       \
	STN_TASK_OBJECT_(static, static inline __attribute__((unused)), kind,  \
			 result, name, __VA_ARGS__)                            \
	STN_TASK_USE_(kind, result, name, __VA_ARGS__)

/*
 * A task that several files share. All files see T_call as an external
 * function, and the compiler may inline T_call in the file that defines it. In
 * a shared library GCC inlines an external function only if its definition says
 * inline: otherwise another library may replace the function at run time. Clang
 * inlines it anyway.
 */
#define STN_TASK_EXTERN_(kind, result, name, ...)                              \
	STN_TASK_TYPES_(kind, result, name, __VA_ARGS__)                       \
	STN_EXTERN_C_ STN_VISIBLE_ const struct stn_task name##_task;          \
	STN_EXTERN_C_ STN_VISIBLE_ result name##_call(                         \
		struct stn_deque *stn_d, struct stn_record *stn_head           \
			STN_PAIRS_(STN_PARAMETER_, _, __VA_ARGS__));           \
	STN_TASK_USE_(kind, result, name, __VA_ARGS__)

#define STN_VISIBLE_ __attribute__((visibility("default")))
#ifdef __clang__
#define STN_DEFINED_
#else
#define STN_DEFINED_ inline __attribute__((used))
#endif
#ifdef __cplusplus
#define STN_EXTERN_C_ extern "C"
#else
#define STN_EXTERN_C_ extern
#endif

#define STN_TASK_DEFINE_(result, name, ...)                                    \
	STN_INLINE_ result name##_body(                                        \
		__attribute__((unused)) struct stn_frame *stn_frame STN_PAIRS_( \
			STN_PARAMETER_, _, __VA_ARGS__))

/* sizeof uses only the type of @pointer, so @pointer is evaluated once. */
#define STN_BUFFER_(kind, pointer, rows, count, step)                          \
	(STN_LITERAL_(kind){                                                   \
		(pointer), stn_row_count((uint64_t)(rows)),                    \
		stn_row_bytes((uint64_t)(count) * sizeof(*(pointer))),         \
		(uint64_t)(step) * sizeof(*(pointer)) })

#endif
