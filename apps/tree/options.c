#include "apps/tree/options.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/app.h"

#define DEPTH_MOST 30
#define LEAVES_MOST 100000000L
#define LEAF_MOST_NS 10000000000L
#define SPREAD_MOST 100

_Static_assert(LEAVES_MOST <= INT64_MAX / (2 * LEAF_MOST_NS), "work overflows");

/* What getopt_long() returns for options without a letter. */
enum { OPTION_SPREAD = 256, OPTION_SPIN };

static const char help[] =
	"usage: tree [--seq] [-b BRANCHES] [-d DEPTH] [-l LEAF]\n"
	"            [--spread PERCENT] [--spin]\n"
	"Visits a tree whose leaves sleep, and counts the leaves.\n"
	"\n"
	"  -b, --branches BRANCHES  of an inner node, 1 to 64 (default 4)\n"
	"  -d, --depth DEPTH        of the leaves, 0 to 30 (default 5)\n"
	"  -l, --leaf LEAF          how long a leaf sleeps, in us, ms or s,\n"
	"                           up to 10s (default 10ms)\n"
	"      --spread PERCENT     how far from LEAF a leaf's time may be,\n"
	"                           0 to 100 (default 0)\n"
	"      --spin               leaves compute that long instead\n"
	"  -s, --seq                visit in plain C, without the runtime\n"
	"  -h, --help               show this\n";

/* read_time: @text as a number and its unit, "250us", from 0 to LEAF_MOST_NS */
static bool
read_time(const char *text, int64_t *ns_p)
{
	size_t digits = strspn(text, "0123456789.");
	double value, ns_per_unit;
	char *unit;

	value = strtod(text, &unit);
	if (unit == text || unit != text + digits)
		return false;
	if (!strcmp(unit, "us"))
		ns_per_unit = 1e3;
	else if (!strcmp(unit, "ms"))
		ns_per_unit = 1e6;
	else if (!strcmp(unit, "s"))
		ns_per_unit = 1e9;
	else
		return false;
	if (value * ns_per_unit > LEAF_MOST_NS)
		return false;
	*ns_p = (int64_t)(value * ns_per_unit + 0.5);
	return true;
}

static int
bad_value(const char *what, const char *text)
{
	return app_complain(APP_USAGE, "%s, not '%s'; see tree --help", what,
			    text);
}

static int
bad_option(char **argv)
{
	if (isprint(optopt))
		return app_complain(
			APP_USAGE,
			"bad or unfinished option '-%c'; see tree --help",
			optopt);
	return app_complain(APP_USAGE,
			    "bad or unfinished option '%s'; see tree --help",
			    argv[optind - 1]);
}

static int
read_option(int option, struct tree_options *to)
{
	switch (option) {
	case 'b':
		if (!app_number(optarg, 1, TREE_BRANCHES_MOST, &to->branches))
			return bad_value("BRANCHES must be from 1 to 64",
					 optarg);
		break;
	case 'd':
		if (!app_number(optarg, 0, DEPTH_MOST, &to->depth))
			return bad_value("DEPTH must be from 0 to 30", optarg);
		break;
	case 'l':
		if (!read_time(optarg, &to->leaf_ns))
			return bad_value("LEAF must be a time of at most 10 s "
					 "such as 250us, 10ms or 0.5s",
					 optarg);
		break;
	case OPTION_SPREAD:
		if (!app_number(optarg, 0, SPREAD_MOST, &to->spread))
			return bad_value("PERCENT must be from 0 to 100",
					 optarg);
		break;
	case OPTION_SPIN:
		to->spin = true;
		break;
	case 's':
		to->sequential = true;
	}
	return TREE_GO_ON;
}

static int
check_size(const struct tree_options *options)
{
	long depth = options->depth, leaves = 1;

	while (depth-- && leaves <= LEAVES_MOST)
		leaves *= options->branches;
	if (leaves > LEAVES_MOST)
		return app_complain(APP_USAGE,
				    "more than %ld leaves; see tree --help",
				    LEAVES_MOST);
	return TREE_GO_ON;
}

int
tree_options_read(int argc, char **argv, struct tree_options *options)
{
	static const struct option known[] = {
		{ "branches", required_argument, NULL, 'b' },
		{ "depth", required_argument, NULL, 'd' },
		{ "leaf", required_argument, NULL, 'l' },
		{ "spread", required_argument, NULL, OPTION_SPREAD },
		{ "spin", no_argument, NULL, OPTION_SPIN },
		{ "seq", no_argument, NULL, 's' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int option, status = TREE_GO_ON;

	*options = (struct tree_options){ .branches = 4,
					  .depth = 5,
					  .leaf_ns = 10000000 };
	opterr = 0;
	while (status == TREE_GO_ON &&
	       (option = getopt_long(argc, argv, "b:d:l:sh", known, NULL)) !=
		       -1) {
		if (option == 'h') {
			fputs(help, stdout);
			return 0;
		}
		status = option == '?' ? bad_option(argv)
				       : read_option(option, options);
	}
	if (status == TREE_GO_ON && optind < argc)
		status = app_complain(APP_USAGE,
				      "too many arguments; see tree --help");
	return status == TREE_GO_ON ? check_size(options) : status;
}
