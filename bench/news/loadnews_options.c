#include "bench/news/loadnews.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport/units.h"

static const struct stn_news_policy no_policy = {
	.name = "none",
	.help = "no node balances",
	.board = STN_LEVELS,
};

static const char help[] =
	"usage: loadnews [--policy NAME] [--nodes N] [--samples N]\n"
	"Measures a news policy on nodes in virtual time whose load is a\n"
	"population process.\n"
	"\n"
	"  -p, --policy NAME   see `sateen info`; or none (default hearsay)\n"
	"  -n, --nodes N       with load (default 20)\n"
	"      --samples N     response times to measure, at least (1000)\n"
	"      --rounds N      of 60 s, at most (100000)\n"
	"      --lan LINK      of each node (500us,12.5MB/s)\n"
	"      --frame BYTES   of a message, besides its header (46)\n"
	"      --service TIME  that the server needs for a message (3333us)\n"
	"      --seed N        of the random numbers (1)\n"
	"      --shared        nodes of one rate have the same arrivals, the\n"
	"                      same in each round\n"
	"      --apart         the policy's periods end between changes of "
	"the\n"
	"                      load\n"
	"      --plain         no heading\n"
	"  -h, --help          show this\n";

static _Noreturn void
refuse(const char *what)
{
	fprintf(stderr, "loadnews: %s; see loadnews --help\n", what);
	exit(2);
}

static const struct stn_news_policy *
find_policy(const char *name)
{
	const struct stn_news_policy *policy = stn_news_find(name);

	if (!policy && !strcmp(name, no_policy.name))
		return &no_policy;
	if (!policy)
		refuse("there is no policy of that name");
	return policy;
}

/* Returns true if the value is wrong. */
static bool
read_option(int option, const char *value, struct loadnews_options *to)
{
	switch (option) {
	case 'p':
		to->policy = find_policy(value);
		return false;
	case 'n':
		return stn_parse_count(value, 2, 1000000, &to->nodes);
	case 'm':
		return stn_parse_count(value, 1, INT64_MAX, &to->samples);
	case 'r':
		return stn_parse_count(value, 1, 1000000, &to->rounds);
	case 'l':
		return stn_parse_link(value, &to->lan);
	case 'f':
		return stn_parse_bytes(value, &to->frame_bytes);
	case 't':
		return stn_parse_duration(value, &to->service_ns);
	case 's':
		return stn_parse_count(value, 0, INT64_MAX, &to->seed);
	case 'a':
		to->shared = true;
		return false;
	case 'b':
		to->apart = true;
		return false;
	case 'q':
		to->plain = true;
		return false;
	}
	return true;
}

struct loadnews_options
loadnews_options(int argc, char **argv)
{
	static const struct option table[] = {
		{ "policy", required_argument, NULL, 'p' },
		{ "nodes", required_argument, NULL, 'n' },
		{ "samples", required_argument, NULL, 'm' },
		{ "rounds", required_argument, NULL, 'r' },
		{ "lan", required_argument, NULL, 'l' },
		{ "frame", required_argument, NULL, 'f' },
		{ "service", required_argument, NULL, 't' },
		{ "seed", required_argument, NULL, 's' },
		{ "shared", no_argument, NULL, 'a' },
		{ "apart", no_argument, NULL, 'b' },
		{ "plain", no_argument, NULL, 'q' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct loadnews_options options = { .policy = &stn_news_hearsay,
					    .nodes = 20,
					    .samples = 1000,
					    .rounds = 100000,
					    .seed = 1,
					    .service_ns = 3333333,
					    .frame_bytes = 46,
					    .lan = { 500000, 12500000, 0 } };
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "p:n:h", table, NULL)) != -1) {
		if (option == 'h') {
			fputs(help, stdout);
			exit(fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS);
		}
		if (read_option(option, optarg, &options))
			refuse("an option is wrong");
	}
	if (optind < argc)
		refuse("there are no operands");
	return options;
}
