/*
 * add.c: `sateen add`: lets more nodes join a run of this user on this host.
 */
#include "apps/sateen/commands.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/run/control.h"
#include "transport/units.h"

static void
print_line(void *arg, const char *text)
{
	(void)arg;
	puts(text);
}

static bool
is_option(const char *text, const char *name, const char *letter)
{
	return !strcmp(text, name) || !strcmp(text, letter);
}

int
add(int argc, char **argv)
{
	bool help = argc > 1 && !strcmp(argv[1], "--help");
	bool named = argc == 6 && !strcmp(argv[4], "--cluster");
	bool whole = argc == 4 || named;
	bool nodes = whole && is_option(argv[2], "--nodes", "-n");
	bool hosts = whole && is_option(argv[2], "--hosts", "--hosts");
	const char *words[] = { "add",
				nodes ? "nodes" : "hosts",
				NULL,
				named ? "cluster" : NULL,
				named ? argv[5] : NULL,
				NULL };
	char path[PATH_MAX];
	uint64_t count;
	struct stn_why why;

	if (!nodes && !hosts) {
		fputs("usage: sateen add RUN --nodes N [--cluster C]\n"
		      "       sateen add RUN --hosts FILE [--cluster C]\n"
		      "Starts nodes that join a running program: N on this "
		      "host, or those of the hosts in\nthe file. RUN is a "
		      "number that `sateen runs` lists. The run must have been "
		      "started\nwith --max-nodes, and with --hosts if other "
		      "hosts join.\n",
		      help ? stdout : stderr);
		return help ? EXIT_SUCCESS : 2;
	}
	if (nodes && stn_parse_count(argv[3], 1, UINT32_MAX, &count)) {
		fprintf(stderr,
			"sateen: --nodes: \"%.60s\" is not a number of nodes "
			"from 1 on\n",
			argv[3]);
		return 2;
	}
	/* The launcher may have another current directory. */
	words[2] = nodes ? argv[3] : realpath(argv[3], path);
	if (!words[2])
		stn_because(&why, STN_IO, "can't read hosts from %.100s: %s",
			    argv[3], strerror(errno));
	else if (!stn_control_ask(argv[1], words, 0, print_line, NULL, &why))
		return EXIT_SUCCESS;
	fprintf(stderr, "sateen: %s\n", why.text);
	return EXIT_FAILURE;
}
