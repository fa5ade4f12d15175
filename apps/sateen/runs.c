/*
 * runs.c: `sateen runs` and `sateen leave`: speak to the launchers of this
 * user's runs on this host (launch/run/control.h).
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

/* Prints a heading before the first run. */
static void
print_run(void *arg, const char *text)
{
	int *count = arg;

	if (!(*count)++)
		puts("RUN       NODES  SINCE                HOSTS              "
		     "  PROGRAM");
	puts(text);
}

static int
end(enum stn_err err, const struct stn_why *why)
{
	if (err)
		fprintf(stderr, "sateen: %s\n", why->text);
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}

int
runs_list(int *count)
{
	static const char *const words[] = { "list", NULL };
	struct stn_why why;

	*count = 0;
	return end(stn_control_list(words, print_run, count, &why), &why);
}

int
runs(int argc, char **argv)
{
	int count;

	if (argc > 1) {
		fprintf(strcmp(argv[1], "--help") ? stderr : stdout,
			"usage: sateen runs\n"
			"Lists your runs that `sateen run` or `sateen join` "
			"has started on this host,\nand those of mpirun and "
			"srun whose process 0 is here.\n");
		return strcmp(argv[1], "--help") ? 2 : EXIT_SUCCESS;
	}
	return runs_list(&count);
}

int
leave(int argc, char **argv)
{
	bool node = argc == 4 && !strcmp(argv[2], "node");
	const char *const words[] = { "leave", argc > 2 ? argv[2] : NULL,
				      node ? argv[3] : NULL, NULL };
	bool help = argc > 1 && !strcmp(argv[1], "--help");
	struct stn_why why;

	if (help || (argc != 3 && !node)) {
		fputs("usage: sateen leave RUN HOST\n"
		      "       sateen leave RUN node N\n"
		      "Makes the nodes of a host, or one node, leave a running "
		      "program. RUN is a number\nthat `sateen runs` lists, "
		      "HOST a name in the file of --hosts, or the name\nof "
		      "a cluster that `sateen join` has joined.\n",
		      help ? stdout : stderr);
		return help ? EXIT_SUCCESS : 2;
	}
	return end(stn_control_ask(argv[1], words, 0, print_line, NULL, &why),
		   &why);
}
