/*
 * again: main runs again when its node dies. Node 0 prints a line and waits to
 * be killed. Another root prints the same line and one more.
 *
 *	again		the first line is "first"
 *	again input	the first line is a line of standard input
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <sateen.h>

STN_MAIN(argc, argv)
{
	char line[100] = "first\n";
	const char *rank = getenv("STN_RANK");

	(void)argv;
	if (argc > 1 && !fgets(line, sizeof(line), stdin))
		return 1;
	fputs(line, stdout);
	fflush(stdout);
	while (rank && *rank == '0')
		pause();
	puts("last");
	return 0;
}
