/*
 * add.c: `sateen add`: lets more nodes join a run of this user on this host.
 */
#include "apps/sateen/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/run/control.h"

static void
print_line(void *arg, const char *text)
{
	(void)arg;
	puts(text);
}

int
add(int argc, char **argv)
{
	const char *const words[] = { "add", "nodes", argc == 4 ? argv[3] : "",
				      NULL };
	bool help = argc > 1 && !strcmp(argv[1], "--help");
	struct stn_why why;

	if (help || argc != 4 ||
	    (strcmp(argv[2], "--nodes") && strcmp(argv[2], "-n"))) {
		fputs("usage: sateen add RUN --nodes N\n"
		      "Starts N more nodes on this host, which join a running "
		      "program. RUN is a number\nthat `sateen runs` lists. The "
		      "run must have been started with --max-nodes.\n",
		      help ? stdout : stderr);
		return help ? EXIT_SUCCESS : 2;
	}
	if (!stn_control_ask(argv[1], words, print_line, NULL, &why))
		return EXIT_SUCCESS;
	fprintf(stderr, "sateen: %s\n", why.text);
	return EXIT_FAILURE;
}
