/*
 * again: main runs again when its node dies. Node 0 prints a line and waits to
 * be killed. Another root prints the same line and one more.
 *
 *	again		the first line is "first"
 *	again input	the first line is a line of standard input
 *	again all	the same, and the other root prints the rest of it, too
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sateen.h>

STN_MAIN(argc, argv)
{
	char line[100] = "first\n";
	const char *rank = getenv("STN_RANK");

	if (argc > 1 && !fgets(line, sizeof(line), stdin))
		return 1;
	fputs(line, stdout);
	fflush(stdout);
	while (rank && *rank == '0')
		pause();
	while (argc > 1 && !strcmp(argv[1], "all") &&
	       fgets(line, sizeof(line), stdin))
		fputs(line, stdout);
	puts("last");
	return 0;
}
