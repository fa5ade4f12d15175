/*
 * report.c: `sateen report`: a page about a traced run.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "apps/sateen/commands.h"

#ifdef HAVE_YAJL

#include "apps/sateen/report/page.h"

static int
usage(FILE *out)
{
	fputs("usage: sateen report TRACE [PAGE]\n"
	      "Writes a page about the run whose --trace is TRACE: when and "
	      "why workers had\n"
	      "no work, who stole from whom, what crossed the links, and "
	      "advice. PAGE is\n"
	      "TRACE.html if it is not given.\n",
	      out);
	return out == stdout ? EXIT_SUCCESS : 2;
}

static int
fail_page(const char *path)
{
	fprintf(stderr, "sateen: can't write %s: %s\n", path, strerror(errno));
	return EXIT_FAILURE;
}

static int
write_page(const struct run *run, const char *path)
{
	struct profile profile;
	FILE *out = fopen(path, "we");
	bool failed;

	if (!out)
		return fail_page(path);
	failed = !profile_make(run, &profile);
	if (failed)
		errno = ENOMEM;
	else
		page_write(run, &profile, out);
	profile_fini(&profile);
	failed |= ferror(out);
	failed |= fclose(out);
	if (failed)
		return fail_page(path);
	printf("%s\n", path);
	return EXIT_SUCCESS;
}

/* Would the page replace the trace? */
static bool
is_same_file(FILE *trace, const char *page)
{
	struct stat one, other;

	return !fstat(fileno(trace), &one) && !stat(page, &other) &&
	       one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

static int
report_on(const char *trace, const char *page)
{
	struct run run = { 0 };
	FILE *file = fopen(trace, "re");
	const char *wrong;
	int status = EXIT_FAILURE;

	if (!file) {
		fprintf(stderr, "sateen: can't read %s: %s\n", trace,
			strerror(errno));
		return EXIT_FAILURE;
	}
	if (is_same_file(file, page))
		wrong = "the page would replace the trace; give another file";
	else
		wrong = run_read(file, &run);
	fclose(file);
	if (wrong)
		fprintf(stderr, "sateen: %s: %s\n", trace, wrong);
	else
		status = write_page(&run, page);
	run_fini(&run);
	return status;
}

int
report(int argc, char **argv)
{
	char page[4096];

	if (argc == 2 && !strcmp(argv[1], "--help"))
		return usage(stdout);
	if (argc < 2 || argc > 3 || argv[1][0] == '-')
		return usage(stderr);
	if (argc == 3)
		return report_on(argv[1], argv[2]);
	snprintf(page, sizeof(page), "%s.html", argv[1]);
	return report_on(argv[1], page);
}

#else

int
report(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	fputs("sateen: this build has no `sateen report`: it lacks yajl "
	      "(libyajl-dev)\n",
	      stderr);
	return EXIT_FAILURE;
}

#endif
