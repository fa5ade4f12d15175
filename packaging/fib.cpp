/* A user's program in C++: prints a Fibonacci number. */
#include <cstdio>
#include <cstdlib>
#include <sateen.hpp>

STN_TASK_FUNCTION long fib(sateen::frame &task, int n)
{
	if (n < 2)
		return n;
	auto x = task.spawn<fib>(n - 1);
	long y = task.call<fib>(n - 2);
	return x.sync() + y;
}

int program(sateen::frame &task, int argc, char **argv)
{
	const int n = argc > 1 ? std::atoi(argv[1]) : 20;

	std::printf("%ld\n", task.call<fib>(n));
	return 0;
}

int main(int argc, char **argv)
{
	return sateen::run<program>(argc, argv);
}

