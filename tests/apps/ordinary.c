/*
 * ordinary: main does what programs do with their process.
 *
 *	ordinary shorten ARGUMENT...	removes the arguments from argv, as
 *					some parsers of options do, sleeps for
 *					10 ms, and prints the first of them
 *	ordinary child	 prints the signals that a child of a task blocks, as
 *			 /proc/self/status shows them
 *	ordinary bytes	 prints 8 bytes, as many as a write to an eventfd takes
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sateen.h>

/* Not by system(): some shells unblock all signals when they start. */
STN_TASK(int, child, int, unused)
{
	char *command[] = { "grep", "SigBlk", "/proc/self/status", NULL };
	int status;
	pid_t pid;

	(void)unused;
	if (posix_spawnp(&pid, command[0], NULL, NULL, command, environ) ||
	    waitpid(pid, &status, 0) != pid)
		return 1;
	return status != 0;
}

static void
shorten(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		argv[i] = NULL;
}

STN_MAIN(argc, argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "shorten")) {
		shorten(argc, argv);
		STN_SLEEP(10000000);
		printf("removed: %s\n", what);
		return 0;
	}
	if (!strcmp(what, "child"))
		return STN_CALL(child, 0);
	fputs("8 bytes\n", stdout);
	return 0;
}
