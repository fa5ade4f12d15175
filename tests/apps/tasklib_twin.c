/* tasklib_twin.c: a program with a task that the library has as well. */
#include <sateen.h>

STN_TASK_EXTERN(int32_t, tasklib_where);

STN_TASK(long, tasklib_fib, int, n)
{
	return n;
}

STN_MAIN(argc, argv)
{
	return STN_CALL(tasklib_where) + (int)STN_CALL(tasklib_fib, 3);
}
