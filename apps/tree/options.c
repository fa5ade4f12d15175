#include "apps/tree/options.h"

#include <stdlib.h>
#include <string.h>

#include "apps/options.h"

#define DEPTH_MOST 30
#define LEAVES_MOST 100000000L
#define LEAF_MOST_NS 10000000000L
#define SPREAD_MOST 100

_Static_assert(LEAVES_MOST <= INT64_MAX / (2 * LEAF_MOST_NS), "work overflows");

static const char help[] =
	"usage: tree [--seq] [-b BRANCHES] [-d DEPTH] [-l LEAF]\n"
	"            [--spread PERCENT] [--spin]\n"
	"Visits a tree whose leaves sleep, and counts the leaves.\n"
	"\n"
	"  -b, --branches BRANCHES  branches of an inner node, 1 to 64\n"
	"                           (default 4)\n"
	"  -d, --depth DEPTH        depth of the leaves, 0 to 30 (default 5)\n"
	"  -l, --leaf LEAF          how long a leaf sleeps, in us, ms or s,\n"
	"                           up to 10s (default 10ms)\n"
	"      --spread PERCENT     a leaf's time differs from LEAF by up to\n"
	"                           PERCENT percent, 0 to 100 (default 0)\n"
	"      --spin               leaves compute instead of sleeping\n"
	"  -s, --seq                visit in plain C, without the runtime\n"
	"  -h, --help               show this\n";

/* Reads a time with its unit ("250us"), at most LEAF_MOST_NS. */
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
read_leaf(const char *text, struct tree_options *to)
{
	if (read_time(text, &to->leaf_ns))
		return APP_GO_ON;
	return app_misuse("LEAF must be a time of at most 10 s such as 250us, "
			  "10ms or 0.5s, not '%s'",
			  text);
}

static int
check_size(const struct tree_options *options)
{
	long depth = options->depth, leaves = 1;

	while (depth-- && leaves <= LEAVES_MOST)
		leaves *= options->branches;
	if (leaves > LEAVES_MOST)
		return app_misuse("more than %ld leaves", LEAVES_MOST);
	return APP_GO_ON;
}

int
tree_options_read(int argc, char **argv, struct tree_options *to)
{
	const char *leaf = "10ms";
	const struct app_option table[] = {
		{ 'b', "branches", "BRANCHES", .number = &to->branches,
		  .least = 1, .most = TREE_BRANCHES_MOST },
		{ 'd', "depth", "DEPTH", .number = &to->depth,
		  .most = DEPTH_MOST },
		{ 'l', "leaf", "LEAF", .text = &leaf },
		{ 0, "spread", "PERCENT", .number = &to->spread,
		  .most = SPREAD_MOST },
		{ 0, "spin", .flag = &to->spin },
		{ 's', "seq", .flag = &to->sequential },
		{ 0 },
	};
	int status;

	*to = (struct tree_options){ .branches = 4, .depth = 5 };
	status = app_options(argc, argv, help, table);
	if (status == APP_GO_ON)
		status = read_leaf(leaf, to);
	return status == APP_GO_ON ? check_size(to) : status;
}
