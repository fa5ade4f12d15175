/*
 * tasklib_load: loads a library of tasks with dlopen.
 *
 *	tasklib_load before LIBRARY	and then calls stn_main
 *	tasklib_load within LIBRARY	in the body, which is too late
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include <sateen.h>

#define COUNT 40

static void *library;

static int
body(STN_FRAME, int argc, char **argv)
{
	int (*count_here)(STN_FRAME, int);
	int here;

	if (!library)
		library = dlopen(argv[argc - 1], RTLD_NOW);
	if (!library)
		return 1;
	*(void **)&count_here = dlsym(library, "tasklib_count_here");
	here = count_here(STN_PASS_FRAME, COUNT);
	printf("tasklib: all right, %s\n",
	       here == COUNT ? "one process" : "several processes");
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	if (!strcmp(argv[1], "before"))
		library = dlopen(argv[2], RTLD_NOW);
	return stn_main(argc, argv, body);
}
