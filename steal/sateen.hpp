/*
 * sateen.hpp: divide and conquer in C++17. The runtime is that of <sateen.h>,
 * and so are its rules. A task is a function, and the compiler checks the types
 * of its calls:
 *
 *	#include <cstdio>
 *	#include <sateen.hpp>
 *
 *	STN_TASK_FUNCTION long fib(sateen::frame &task, int n)
 *	{
 *		if (n < 2)
 *			return n;
 *		auto x = task.spawn<fib>(n - 1);
 *		long y = task.call<fib>(n - 2);
 *		return x.sync() + y;
 *	}
 *
 *	int program(sateen::frame &task, int, char **)
 *	{
 *		std::printf("%ld\n", task.call<fib>(30));
 *		return 0;
 *	}
 *
 *	int main(int argc, char **argv)
 *	{
 *		return sateen::run<program>(argc, argv);
 *	}
 *
 * A task is a function with a name: of a namespace, or a static member of a
 * class. Its first parameter is a sateen::frame &. The other parameters and the
 * result are trivially copyable, because they travel to other nodes as bytes,
 * and neither pointers nor references, nor views of memory (std::string_view,
 * std::span, std::initializer_list, std::reference_wrapper). The memory behind
 * a pointer travels as a buffer (sateen::in, out, inout). No exception leaves a
 * task; if one does, the process ends by std::terminate.
 *
 * STN_TASK_FUNCTION makes the function static, and lets the compiler inline the
 * task's calls of itself, as it does with STN_TASK. A function without it is a
 * task, too, but its spawns and syncs take several times as long.
 *
 * A lambda can't be a task. A call may run in another process, on another host.
 * The message that carries the call names the task, and the node that gets the
 * message finds the task of that name in its own table. A lambda has no name
 * that two processes agree on. A lambda that captures has a second problem:
 * what it captures are often addresses (by reference, as this, or inside a
 * std::vector), which mean nothing in another process, and the compiler can't
 * check that there are none. So write a function, and pass as arguments what
 * the lambda would capture. A lambda may capture the frame, and spawn and sync
 * for the task that calls it.
 *
 * The name of a task is the one that the compiler prints, so all nodes of a run
 * have programs of the same compiler. Clang prints the same name for all
 * instances of a function template; a program that needs several makes them
 * static members of a class template.
 *
 * STN_WORK, STN_BOUND_MIN and the other macros of <sateen.h> work in functions
 * that begin with
 *
 *	STN_FRAME = &task;
 */
#ifndef STN_SATEEN_HPP
#define STN_SATEEN_HPP

#if __cplusplus < 201703L
#error "<sateen.hpp> needs C++17: compile with -std=c++17 or newer"
#else

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string_view>
#include <type_traits>
#include <utility>
#if __cplusplus >= 202002L && __has_include(<span>)
#include <span>
#endif

#include <sateen.h>

#define STN_TASK_FUNCTION [[gnu::always_inline]] static inline

/*
 * The layers between a task and the plain path of <sateen.h> are inlined before
 * the compiler decides how deep it inlines the task's calls of itself.
 */
#define STN_LAYER_ [[gnu::always_inline]] inline

namespace sateen
{

template <auto function> class calls;
template <auto function> class spawned;

/*
 * The frame of the running task, or of the program's body. The task's own
 * thread uses it, before the task returns. Helpers of the task get a reference
 * to it.
 */
class frame : public stn_frame
{
      public:
	frame(const frame &) = delete;
	frame &operator=(const frame &) = delete;

	/*
	 * Lets the call run at any time until its sync, on any node. The call
	 * is synced by sync(), or by the handle's destructor. Syncs come in the
	 * reverse order of spawns, as the destructors of local variables run;
	 * otherwise the run ends with one line.
	 */
	template <auto function, class... given>
	spawned<function> spawn(given... arguments);

	/* Calls the task here, like a function. */
	template <auto function, class... given> auto call(given... arguments);

	/*
	 * Runs body(frame, index, arguments...) for each index from first to
	 * end - 1, on all nodes, and returns when all have returned. The type
	 * of the index is std::int64_t. An out or inout buffer has a row for
	 * each index, and the body gets only that row.
	 */
	template <auto body, class... given>
	void parallel_for(std::int64_t first, std::int64_t end,
			  given... arguments);

      protected:
	frame(stn_deque *in, stn_record *from) : stn_frame{ in, from, 0 }
	{
	}
};

/*
 * Buffers, as in <sateen.h>: memory of the caller that a task reads, writes, or
 * both. Use them as sateen::in<double>(pointer, count). A buffer of several
 * rows says how many items are in each, and how many are between the starts of
 * two. A class that is derived from a buffer is a buffer, too, and has no
 * further members.
 */
template <class base, class item> struct buffer : base {
	static_assert(std::is_trivially_copyable_v<item>,
		      "the items of a buffer are copied as bytes");

	buffer(item *first, std::size_t count) : buffer(first, 1, count, count)
	{
	}
	buffer(item *first, std::size_t rows, std::size_t count,
	       std::size_t step)
	    : base{ first, stn_row_count(rows),
		    stn_row_bytes(count * sizeof(item)), step * sizeof(item) }
	{
	}

	item *row(std::size_t i) const
	{
		using byte = std::conditional_t<std::is_const_v<item>,
						const char, char>;

		return reinterpret_cast<item *>(static_cast<byte *>(this->at) +
						i * this->stride);
	}
	std::size_t size() const /* of a row */
	{
		return this->row_bytes / sizeof(item);
	}
	item &operator[](std::size_t i) const /* of the first row */
	{
		return row(0)[i];
	}
	item *begin() const
	{
		return row(0);
	}
	item *end() const
	{
		return row(0) + size();
	}
};
template <class item> using in = buffer<stn_in, const item>;
template <class item> using out = buffer<stn_out, item>;
template <class item> using inout = buffer<stn_inout, item>;

/* The namespace detail is not for programs. */
namespace detail
{

/* The string in which the compiler writes the template's argument. */
template <auto value>
constexpr auto
spelling()
{
	return __PRETTY_FUNCTION__;
}
template <class type>
constexpr auto
spelling()
{
	return __PRETTY_FUNCTION__;
}

constexpr std::string_view
argument_of(std::string_view text)
{
	text.remove_prefix(text.find("= ") + 2);
	text.remove_suffix(text.size() - text.rfind(']'));
	return text.substr(text[0] == '&');
}

/* A string with a NUL at its end. */
template <std::size_t bytes> struct name {
	char text[bytes + 1] = {};

	constexpr name(std::string_view from)
	{
		for (std::size_t i = 0; i < bytes; i++)
			text[i] = from[i];
	}
};

template <auto function>
inline constexpr name<argument_of(spelling<function>()).size()>
	function_name(argument_of(spelling<function>()));
template <class type>
inline constexpr name<argument_of(spelling<type>()).size()>
	type_name(argument_of(spelling<type>()));

constexpr bool
is_lambda(std::string_view name)
{
	return name.find("(anonymous class)") != name.npos ||
	       name.find("<lambda") != name.npos ||
	       name.find("(lambda") != name.npos;
}

template <class type>
inline constexpr stn_argument_kind kind =
	std::is_base_of_v<stn_in, type>	     ? STN_ARGUMENT_IN
	: std::is_base_of_v<stn_out, type>   ? STN_ARGUMENT_OUT
	: std::is_base_of_v<stn_inout, type> ? STN_ARGUMENT_INOUT
	: std::is_base_of_v<stn_bound, type> ? STN_ARGUMENT_BOUND
	: std::is_base_of_v<stn_const, type> ? STN_ARGUMENT_CONST
					     : STN_ARGUMENT_SCALAR;

/* Of a buffer's argument, the key of a call has only the buffer. */
template <class type>
inline constexpr bool is_whole = (kind<type> != STN_ARGUMENT_IN &&
				  kind<type> != STN_ARGUMENT_OUT &&
				  kind<type> != STN_ARGUMENT_INOUT) ||
				 sizeof(type) == sizeof(stn_in);

template <class type>
inline constexpr bool travels = std::is_void_v<type> ||
				(std::is_trivially_copyable_v<type> &&
				 !std::is_pointer_v<type> &&
				 !std::is_member_pointer_v<type> &&
				 !std::is_reference_v<type>);

/*
 * Is it a std::reference_wrapper? Its header, <functional>, would make this one
 * take three times as long to compile. So its members are looked for.
 */
template <class type, class = void> inline constexpr bool is_reference = false;
template <class type>
inline constexpr bool is_reference<
	type, std::void_t<typename type::type,
			  decltype(std::declval<const type &>().get())>> =
	std::is_same_v<decltype(std::declval<const type &>().get()),
		       typename type::type &>;

/* They are trivially copyable, but have a pointer inside. */
template <class type> inline constexpr bool is_view = is_reference<type>;
template <class item, class traits>
inline constexpr bool is_view<std::basic_string_view<item, traits>> = true;
template <class item>
inline constexpr bool is_view<std::initializer_list<item>> = true;
#ifdef __cpp_lib_span
template <class item, std::size_t count>
inline constexpr bool is_view<std::span<item, count>> = true;
#endif

template <class type> inline constexpr std::size_t bytes_of = sizeof(type);
template <> inline constexpr std::size_t bytes_of<void> = 0;

/* A value in a record, whose memory is declared as bytes. */
template <class type> struct [[gnu::may_alias]] box {
	type value;
};

/* The arguments of a task have the places that a structure would give them. */
template <class... types> struct layout {
	static constexpr std::size_t count = sizeof...(types);
	std::size_t offsets[count + 1] = {}; /* the last is the size */

	constexpr layout()
	{
		const std::size_t sizes[] = { sizeof(types)..., 0 };
		const std::size_t aligned[] = { alignof(types)..., 1 };
		std::size_t most = 1;

		for (std::size_t i = 0; i < count; i++) {
			offsets[i] = round(offsets[i], aligned[i]);
			offsets[i + 1] = offsets[i] + sizes[i];
			most = aligned[i] > most ? aligned[i] : most;
		}
		offsets[count] = round(offsets[count], most);
	}
	static constexpr std::size_t round(std::size_t n, std::size_t to)
	{
		return (n + to - 1) / to * to;
	}
};

template <class... types> struct descriptions {
	stn_argument each[sizeof...(types) + 1];

	constexpr descriptions()
	    : each{ { type_name<types>.text, 0, sizeof(types), kind<types> }...,
		    { NULL, 0, 0, STN_ARGUMENT_SCALAR } }
	{
		const layout<types...> laid;

		for (std::size_t i = 0; i < sizeof...(types); i++)
			each[i].offset =
				static_cast<std::uint16_t>(laid.offsets[i]);
	}
};

/* A task's frame. Its destructor finds calls that were never synced. */
struct own_frame : frame {
	const stn_task *task;

	STN_LAYER_ own_frame(stn_deque *in, stn_record *from,
			     const stn_task *its)
	    : frame(in, from), task(its)
	{
	}
	STN_LAYER_ ~own_frame()
	{
		if (!STN_LIKELY(!this->pending))
			stn_unsynced(this->deque, task);
	}
};

/* The functions of a task, as in sateen_task.h. */
template <auto function, class signature = decltype(function)> struct task;
template <auto function, class out, class... types, bool never_throws>
struct task<function, out (*)(frame &, types...) noexcept(never_throws)> {
	using result = out;
	using places = std::index_sequence_for<types...>;
	static constexpr layout<types...> laid = {};

	static_assert(!is_lambda(function_name<function>.text),
		      "a lambda has no name that other nodes know: "
		      "make it a function");
	static_assert(travels<result> && (travels<types> && ...),
		      "arguments and results of a task are copied as bytes to "
		      "other nodes: no pointers, no references; pass a buffer "
		      "(sateen::in ...) instead");
	static_assert(!is_view<std::remove_cv_t<result>> &&
			      !(is_view<std::remove_cv_t<types>> || ...),
		      "a view (string_view, span, initializer_list, "
		      "reference_wrapper) points to memory that other nodes "
		      "lack: pass a buffer (sateen::in ...) instead");
	static_assert((is_whole<types> && ...),
		      "an argument adds members to a buffer: pass them as "
		      "other arguments");
	static_assert(((alignof(types) <= 8) && ...),
		      "an argument wants to be aligned to more than 8 bytes");
	static_assert(laid.offsets[laid.count] <= STN_ARGUMENT_BYTES,
		      "the arguments take more than 88 bytes: put some into a "
		      "buffer");
	static_assert(bytes_of<result> <= STN_ARGUMENT_BYTES,
		      "the result takes more than 88 bytes: use an out buffer");

	static result call(stn_deque *deque, stn_record *head,
			   types... arguments) noexcept
	{
		own_frame own(deque, head, &object);

		(void)&registered;
		return function(own, arguments...);
	}

	STN_INLINE_ void spawn(stn_frame *caller, types... arguments)
	{
		stn_record *record = caller->head;

		caller->pending++;
		store(places(), record->arguments, arguments...);
		if (STN_LIKELY(stn_spawn_plain(caller->deque, record))) {
			stn_push(record, &object);
			caller->head = record + 1;
			__atomic_signal_fence(__ATOMIC_SEQ_CST);
			if (!STN_LIKELY(stn_spawn_plain(caller->deque, record)))
				stn_spawn_late(caller->deque, record);
		} else {
			caller->head = spawn_slow(caller->deque, record);
		}
	}

	STN_INLINE_ result sync(stn_frame *caller)
	{
		stn_record *record = stn_last(caller, &object);

		if (STN_LIKELY(stn_pop(record))) {
			caller->head = record;
			return load(places(), caller->deque, record, record);
		} else if constexpr (std::is_void_v<result>) {
			caller->head = sync_slow(caller->deque, record, NULL);
		} else {
			alignas(result) char space[sizeof(result)];

			caller->head = sync_slow(caller->deque, record, space);
			return reinterpret_cast<box<result> *>(space)->value;
		}
	}

	[[noreturn]] static void refuse(stn_deque *deque)
	{
		stn_mismatched(deque, &object, &object);
	}

      private:
	/* The fence has the same reason as that of STN_WRITE_. */
	template <std::size_t i, class type>
	STN_INLINE_ void store_one(unsigned char *to, const type &argument)
	{
		if (laid.offsets[i])
			__atomic_signal_fence(__ATOMIC_RELEASE);
		std::memcpy(to + laid.offsets[i], &argument, sizeof(argument));
	}
	template <std::size_t... i>
	STN_INLINE_ void store(std::index_sequence<i...>, unsigned char *to,
			       types... arguments)
	{
		(void)to;
		(store_one<i>(to, arguments), ...);
	}
	template <std::size_t... i>
	STN_INLINE_ result load(std::index_sequence<i...>, stn_deque *deque,
				const stn_record *from, stn_record *head)
	{
		(void)from;
		return call(deque, head,
			    reinterpret_cast<const box<types> *>(
				    from->arguments + laid.offsets[i])
				    ->value...);
	}

	STN_COLD_ stn_record *spawn_slow(stn_deque *deque, stn_record *record)
	{
		return stn_spawn_slow(deque, record, &object,
				      record->arguments);
	}
	STN_COLD_ stn_record *sync_slow(stn_deque *deque, stn_record *record,
					void *place)
	{
		return stn_sync_slow(deque, record, &object, place);
	}

	static void run(stn_deque *deque, const stn_record *record,
			stn_record *head, void *place)
	{
		if constexpr (std::is_void_v<result>) {
			load(places(), deque, record, head);
		} else {
			result value = load(places(), deque, record, head);

			std::memcpy(place, &value, sizeof(value));
		}
	}

	static constexpr descriptions<types...> described = {};
	static constexpr stn_task object = {
		function_name<function>.text,
		type_name<result>.text,
		run,
		described.each,
		laid.count,
		static_cast<std::uint32_t>(laid.offsets[laid.count]),
		static_cast<std::uint32_t>(bytes_of<result>),
	};
	static inline stn_task_entry entry = { &object, NULL };
	static inline const bool registered = (stn_task_register(&entry), true);
};

/* The task that halves the range of a parallel_for, as STN_TASK_FOR does. */
template <auto body, class signature = decltype(body)> struct loop;
template <auto body, class... types, bool never_throws>
struct loop<body,
	    void (*)(frame &, std::int64_t, types...) noexcept(never_throws)> {
	static void split(frame &at, std::int64_t first, std::int64_t end,
			  types... arguments)
	{
		calls<split> upper(at);

		(stn_range_rows(at.deque, kind<types>, &arguments, end - first),
		 ...);
		while (end - first > 1) {
			std::int64_t half = first + (end - first) / 2;

			upper.spawn(half, end, cut(arguments, half - first)...);
			end = half;
		}
		if (first < end)
			task<body>::call(at.deque, at.head, first,
					 arguments...);
	}

      private:
	/* Leaves the first rows in @lower, and returns the others. */
	template <class type> static type cut(type &lower, std::int64_t rows)
	{
		type upper = lower;

		stn_range_split(kind<type>, &lower, &upper, rows);
		return upper;
	}
};

} // namespace detail

/* One call that was spawned. */
template <auto function> class [[nodiscard]] spawned
{
	using task = detail::task<function>;
	stn_frame *caller;
	std::size_t place; /* among the caller's calls, from 1; 0: synced */

      public:
	template <class... given>
	STN_LAYER_ spawned(frame &at, given... arguments) : caller(&at)
	{
		task::spawn(caller, arguments...);
		place = caller->pending;
	}
	spawned(const spawned &) = delete;
	spawned &operator=(const spawned &) = delete;
	STN_LAYER_ ~spawned()
	{
		if (place)
			sync();
	}

	/* Waits for the call, or runs it if nobody has begun it. Only once. */
	STN_LAYER_ typename task::result sync()
	{
		if (!STN_LIKELY(place && place == caller->pending))
			task::refuse(caller->deque);
		place = 0;
		return task::sync(caller);
	}
};

/*
 * Any number of calls of one task. Their order is that of a stack: sync() is
 * for the last one. While calls are left, spawn() and sync() need the last of
 * them to be the task's last pending call: what the task has spawned since then
 * by other means must be synced before. Otherwise the run ends with one line.
 * The destructor syncs the calls that are left.
 */
template <auto function> class calls
{
	using task = detail::task<function>;
	stn_frame *caller;
	std::size_t count = 0; /* own calls that are pending */
	std::size_t place = 0; /* of the last one, among the caller's calls */

	STN_LAYER_ void want_last() const
	{
		if (!STN_LIKELY(place == caller->pending))
			task::refuse(caller->deque);
	}

      public:
	explicit calls(frame &at) : caller(&at)
	{
	}
	calls(const calls &) = delete;
	calls &operator=(const calls &) = delete;
	~calls()
	{
		while (size())
			sync();
	}

	template <class... given> STN_LAYER_ void spawn(given... arguments)
	{
		if (count)
			want_last();
		task::spawn(caller, arguments...);
		place = caller->pending;
		count++;
	}
	std::size_t size() const /* calls that are left */
	{
		return count;
	}
	STN_LAYER_ typename task::result sync()
	{
		if (!STN_LIKELY(count))
			task::refuse(caller->deque);
		want_last();
		count--;
		place--;
		return task::sync(caller);
	}
};

template <auto function, class... given>
STN_LAYER_ spawned<function>
frame::spawn(given... arguments)
{
	return spawned<function>(*this, arguments...);
}

template <auto function, class... given>
STN_LAYER_ auto
frame::call(given... arguments)
{
	return detail::task<function>::call(deque, head, arguments...);
}

template <auto body, class... given>
inline void
frame::parallel_for(std::int64_t first, std::int64_t end, given... arguments)
{
	call<detail::loop<body>::split>(first, end, arguments...);
}

/*
 * Makes this process a node of a run, as stn_main does, and returns its exit
 * status. The body is int body(sateen::frame &, int argc, char **argv).
 */
template <auto body>
inline int
run(int argc, char **argv)
{
	return stn_main(
		argc, argv, [](stn_frame *at, int count, char **values) {
			return body(static_cast<frame &>(*at), count, values);
		});
}

} // namespace sateen

#endif
#endif
