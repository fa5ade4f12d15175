/*
 * top.c: `sateen top`: shows a run of this user while it goes on.
 */
#include "apps/sateen/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/sateen/top/fetch.h"
#include "apps/sateen/top/table.h"
#include "apps/sateen/top/view.h"

/* The run, and its counts at the last look. */
struct top {
	const char *name; /* of the run */
	struct top_run before;
	bool again; /* @before is valid */
};

static enum stn_err
look_once(const char *name, struct top_run *run, struct stn_why *why)
{
	char *text;
	size_t size;
	enum stn_err err = top_fetch(name, &text, &size, why);

	/* Did the run end during the answer? Then there is none the next time. */
	if (err == STN_LOST || err == STN_REFUSED)
		err = top_fetch(name, &text, &size, why);
	if (err)
		return err;
	if (!top_read(run, text, size)) {
		top_fini(run);
		err = stn_because(why, STN_MALFORMED,
				  "%.100s sends no metrics of a run, or it is "
				  "of another version",
				  name);
	}
	free(text);
	return err;
}

/* Makes the text of the view: the changes of the counts since the last look. */
static enum stn_err
look_again(void *arg, char **text_p, struct stn_why *why)
{
	struct top *top = arg;
	struct top_run run;
	size_t size;
	enum stn_err err = look_once(top->name, &run, why);
	FILE *out;

	if (err)
		return err;
	out = open_memstream(text_p, &size);
	if (out)
		top_print(&run, top->again ? &top->before : NULL, out);
	if (top->again)
		top_fini(&top->before);
	top->before = run;
	top->again = true;
	return out && !fclose(out)
		       ? STN_OK
		       : stn_because(why, STN_NO_MEMORY, "out of memory");
}

static enum stn_err
print_once(const char *name, struct stn_why *why)
{
	struct top_run run;
	enum stn_err err = look_once(name, &run, why);

	if (err)
		return err;
	top_print(&run, NULL, stdout);
	top_fini(&run);
	return STN_OK;
}

/* The run has ended, or the user has had enough: both are a good end. */
static enum stn_err
view(const char *name, struct stn_why *why)
{
	struct top top = { .name = name };
	enum stn_err err = top_view(look_again, &top, why);

	if (!top.again)
		return err;
	top_fini(&top.before);
	if (err != STN_MISSING)
		return err;
	printf("run %s has ended\n", name);
	return STN_OK;
}

/* Lists the runs of this user. If there is none, a line says where to look. */
static int
list_runs(void)
{
	int count = 0, status = runs_list(&count);

	if (!status && !count)
		fputs("sateen: you have no run on this host; a run of mpirun "
		      "or srun is listed on the host of its process 0, "
		      "unless STN_SURVIVE=no\n",
		      stderr);
	return status;
}

int
top(int argc, char **argv)
{
	bool once = argc == 3 && !strcmp(argv[1], "--once");
	bool help = argc > 1 && !strcmp(argv[1], "--help");
	struct stn_why why;
	enum stn_err err;

	if (argc == 1)
		return list_runs();
	if (help || (argc != 2 && !once) || (argv[1][0] == '-' && !once)) {
		fputs("usage: sateen top\n"
		      "       sateen top [--once] RUN\n"
		      "Shows a run while it goes on. RUN is a number that "
		      "`sateen top` or `sateen runs`\nlists, or HOST:PORT, "
		      "where --metrics of `sateen run` serves it.\n"
		      "  --once  print one table\n",
		      help ? stdout : stderr);
		return help ? EXIT_SUCCESS : 2;
	}
	err = once ? print_once(argv[2], &why) : view(argv[1], &why);
	if (!err)
		return EXIT_SUCCESS;
	fprintf(stderr, "sateen: %s\n", why.text);
	return err == STN_INVALID ? 2 : EXIT_FAILURE;
}
