/*
 * typed: uses all of <sateen.hpp>. Prints "typed: all right", or the number of
 * the check that failed.
 */
#include <cstdio>
#include <numeric>
#include <string_view>
#include <vector>
#include <sateen.hpp>

STN_TASK_FUNCTION long
fib(sateen::frame &task, int n)
{
	if (n < 2)
		return n;
	auto x = task.spawn<fib>(n - 1);
	long y = task.call<fib>(n - 2);
	return x.sync() + y;
}

/* Functions that call each other; neither is a STN_TASK_FUNCTION. */
static bool odd(sateen::frame &task, unsigned n) noexcept;
static bool
even(sateen::frame &task, unsigned n)
{
	return n == 0 || task.spawn<odd>(n - 1).sync();
}
static bool
odd(sateen::frame &task, unsigned n) noexcept
{
	return n != 0 && task.call<even>(n - 1);
}

/* Arguments of several sizes, in places as in a structure. */
struct pair {
	double a;
	char b;
};
namespace user
{
static pair
mix(sateen::frame &, char c, pair p, short s, std::int64_t l, bool b)
{
	return { p.a + s + double(l) + b, char(p.b + c) };
}
} // namespace user

/* Instances of a template that have names of their own. */
template <int by> struct scale {
	static int times(sateen::frame &, int n)
	{
		return n * by;
	}
};

static int
nothing(sateen::frame &)
{
	return 7;
}

static void
fill(sateen::frame &, int from, sateen::out<int> to)
{
	std::iota(to.begin(), to.end(), from);
}

static long
add(sateen::frame &task, sateen::in<int> items, sateen::inout<int> seen)
{
	if (items.size() == 0)
		return 0;
	if (items.size() == 1) {
		seen[0]++;
		return items[0];
	}
	std::size_t half = items.size() / 2, rest = items.size() - half;
	auto upper = task.spawn<add>(sateen::in<int>(&items[half], rest),
				     sateen::inout<int>(&seen[half], rest));
	return task.call<add>(sateen::in<int>(&items[0], half),
			      sateen::inout<int>(&seen[0], half)) +
	       upper.sync();
}

/* The spawned call is synced by the end of the handle's life. */
static int
leaves_early(sateen::frame &task, int n)
{
	auto rest = task.spawn<fib>(n);

	if (n > 0)
		return n;
	return int(rest.sync());
}

/* Any number of spawns, in a helper with a lambda that has the frame. */
static long
sum_of(sateen::frame &task, int n)
{
	sateen::calls<fib> all(task);
	auto spawn = [&](int i) { all.spawn(i); };
	long sum = 0;

	for (int i = 0; i < n; i++)
		spawn(i);
	for (std::size_t left = 3; left--;)
		sum += all.sync();
	return sum;
}

static int
left(sateen::frame &, int n)
{
	return n;
}
static int
right(sateen::frame &, int n)
{
	return 1000 + n;
}

/* Two stacks of calls at a time: each has its own calls. */
static int
stacks(sateen::frame &task, int n)
{
	sateen::calls<left> lower(task);
	sateen::calls<right> upper(task);
	int sum = 0;

	for (int i = 0; i < n; i++)
		lower.spawn(i);
	for (int i = 0; i < n; i++)
		upper.spawn(i);
	while (upper.size())
		sum += upper.sync();
	lower.spawn(n);
	while (lower.size())
		sum += lower.sync();
	return sum;
}

/* A stack without calls, while an earlier call of the task is synced. */
static int
empty_stack(sateen::frame &task, int n)
{
	auto before = task.spawn<left>(n);
	sateen::calls<right> none(task);
	int sum = before.sync();

	return sum + int(none.size());
}

static void
square(sateen::frame &task, std::int64_t i, sateen::in<long> by,
       sateen::out<long> row)
{
	row[0] = i * by[0];
	row[1] = task.call<fib>(int(i % 10));
}

static long
counts(sateen::frame &task, int n)
{
	STN_FRAME = &task;

	STN_WORK(n);
	return STN_SECONDS() > 0 ? n : 0;
}

/* Tasks of <sateen.h> get the buffers of <sateen.hpp>, too. */
STN_TASK_VOID(copy, sateen::in<int>, from, sateen::out<int>, to,
	      sateen::inout<int>, sum)
{
	for (std::size_t i = 0; i < from.size(); i++)
		sum[0] += to[i] = from[i];
}
static_assert(STN_KIND_(copy_arguments, from) == STN_ARGUMENT_IN &&
		      STN_KIND_(copy_arguments, to) == STN_ARGUMENT_OUT &&
		      STN_KIND_(copy_arguments, sum) == STN_ARGUMENT_INOUT,
	      "a class that is derived from a buffer is a buffer");

static bool
copies(sateen::frame &task)
{
	STN_FRAME = &task;
	std::vector<int> from(100, 2), to(100), sums(10, 5);

	for (int i = 0; i < 10; i++)
		STN_SPAWN(copy, sateen::in<int>(&from[10 * i], 10),
			  sateen::out<int>(&to[10 * i], 10),
			  sateen::inout<int>(&sums[i], 1));
	STN_SYNC_ALL_VOID(copy);
	return from == to && sums == std::vector<int>(10, 25);
}

static int
check(sateen::frame &task)
{
	if (task.call<fib>(20) != 6765)
		return 1;
	if (!task.call<even>(100u) || task.call<even>(7u))
		return 2;
	auto mixed =
		task.spawn<user::mix>('a', pair{ 0.5, 1 }, 3, 1LL << 40, true);
	pair got = mixed.sync();
	if (got.a != 4.5 + double(1LL << 40) || got.b != 'b')
		return 3;
	auto three = task.spawn<scale<3>::times>(5);
	auto four = task.spawn<scale<4>::times>(5);
	if (four.sync() != 20 || three.sync() != 15)
		return 4;
	if (task.spawn<nothing>().sync() != 7)
		return 5;
	std::vector<int> items(1000), seen(1000);
	task.spawn<fill>(1, sateen::out<int>(items.data(), 1000)).sync();
	long sum = task.call<add>(sateen::in<int>(items.data(), 1000),
				  sateen::inout<int>(seen.data(), 1000));
	if (sum != 500500 || seen != std::vector<int>(1000, 1))
		return 6;
	if (task.call<leaves_early>(9) != 9 || task.call<leaves_early>(0))
		return 7;
	if (sum_of(task, 12) != 89 + 55 + 34)
		return 8;
	long by = 3, rows[64][4];
	task.parallel_for<square>(100, 164, sateen::in<long>(&by, 1),
				  sateen::out<long>(rows[0], 64, 2, 4));
	for (int i = 0; i < 64; i++)
		if (rows[i][0] != 3 * (100 + i) ||
		    rows[i][1] != task.call<fib>(i % 10))
			return 9;
	task.parallel_for<square>(5, 5, sateen::in<long>(&by, 1),
				  sateen::out<long>(rows[0], 0, 2, 4));
	if (task.call<counts>(5) != 5)
		return 10;
	if (!copies(task))
		return 11;
	if (task.call<stacks>(3) != 3009)
		return 12;
	if (task.call<empty_stack>(7) != 7)
		return 13;
	return 0;
}

/* Spawns and syncs that are not in the order of a stack. */
static int
disorder(sateen::frame &task, std::string_view how)
{
	if (how == "handles") {
		auto one = task.spawn<fib>(5);
		auto two = task.spawn<fib>(6);
		return int(one.sync() + two.sync());
	}
	sateen::calls<left> lower(task);
	sateen::calls<right> upper(task);
	if (how != "empty")
		lower.spawn(1);
	upper.spawn(2);
	if (how == "spawn")
		lower.spawn(3);
	return lower.sync();
}

static int
program(sateen::frame &task, int argc, char **argv)
{
	int wrong;

	if (argc > 1)
		return disorder(task, argv[1]);
	wrong = check(task);
	if (wrong)
		std::printf("typed: check %d\n", wrong);
	else
		std::puts("typed: all right");
	return wrong != 0;
}

int
main(int argc, char **argv)
{
	return sateen::run<program>(argc, argv);
}
