/* main.c: the command line of sateen-death, and its table. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/app.h"
#include "apps/random.h"
#include "bench/death/death.h"
#include "bench/rows.h"
#include "bench/sample.h"
#include "transport/units.h"

/* The target, counted from the death, or from the end of the silence. */
#define LATE_NS (STN_SECOND_NS / 10)
#define PAUSE_MS 200 /* at most, before a death: pings have a rhythm */

static const char help[] =
	"usage: sateen bench death [options]\n"
	"Measures how soon a node knows that another one has died, for each "
	"transport:\n"
	"a node on the same host is killed, one on another host is killed, and "
	"one on\n"
	"another host stops answering. Other hosts are pretended, on this "
	"one.\n"
	"\n"
	"  -t, --transport NAME   this transport only\n"
	"  -p, --provider NAME    this provider only\n"
	"  -r, --rounds ROUNDS    deaths of each kind (default 20)\n"
	"      --silence TIME     when a silent node counts as dead (default "
	"1s)\n"
	"  -h, --help             show this\n";

static const struct death_way ways[] = {
	{ "killed, this host", SIGKILL, false },
	{ "killed, another host", SIGKILL, true },
	{ "silent, another host", SIGSTOP, true },
};

static const struct {
	const char *transport, *provider;
	bool crosses; /* it can connect two hosts */
} fabrics[] = {
	{ "shm", "auto", false },  { "ofi", "net", true },
	{ "ofi", "tcp", true },	   { "ofi", "shm", false },
	{ "ucx", "tcp", true },	   { "ucx", "posix", false },
	{ "verbs", "auto", true },
};

#define WAYS (sizeof(ways) / sizeof(ways[0]))
#define FABRICS (sizeof(fabrics) / sizeof(fabrics[0]))

struct options {
	const char *transport, *provider, *silence;
	long rounds;
};

static uint64_t
target_ns(const struct death_plan *plan)
{
	return LATE_NS + (plan->way->apart ? plan->silence_ns : 0);
}

static void
print_row(const struct death_plan *plan, struct sample *sample)
{
	double median = sample_at(sample, 50), worst = sample_at(sample, 100);
	uint64_t target = target_ns(plan);
	bool met = worst <= (double)target;

	printf("%-6s %-6s %-21s %6zu %10.2f %10.2f %10.0f  %s\n",
	       plan->transport, plan->provider, plan->way->what, sample->count,
	       median / 1e6, worst / 1e6, (double)target / 1e6,
	       met ? "met" : "missed");
	fflush(stdout);
	rows_add(met ? "met" : "missed",
		 "%s %s: %s\tworst <= %.0f ms\t%.2f ms\tworst %.2f ms",
		 plan->transport, plan->provider, plan->way->what,
		 (double)target / 1e6, median / 1e6, worst / 1e6);
}

/*
 * Measures one kind of death. Prints why if this machine can't use the
 * transport; false if a death was not noticed.
 */
static bool
measure(const struct death_plan *plan, long rounds)
{
	static struct sample sample;
	struct app_random random = { 1 };
	enum stn_err err = STN_OK;
	struct stn_why why;
	uint64_t took;

	sample.count = 0;
	for (long i = 0; i < rounds && !err; i++) {
		err = death_measure(plan,
				    app_random(&random, PAUSE_MS) * 1000000,
				    &took, &why);
		if (!err)
			sample_add(&sample, (double)took);
	}
	if (!err)
		print_row(plan, &sample);
	else
		printf("%-6s %-6s %-21s %s\n", plan->transport, plan->provider,
		       plan->way->what, why.text);
	return err != STN_LOST;
}

static bool
matches(const char *wanted, const char *name)
{
	return !wanted || !strcmp(wanted, name);
}

/*
 * Measures everything that the options choose. *all_p: all deaths were noticed.
 * Returns how many kinds of death there were.
 */
static unsigned
measure_all(const struct options *options, uint64_t silence_ns, bool *all_p)
{
	unsigned measured = 0;

	*all_p = true;
	for (size_t i = 0; i < FABRICS; i++)
		for (size_t j = 0; j < WAYS; j++) {
			const struct death_plan plan = { fabrics[i].transport,
							 fabrics[i].provider,
							 &ways[j], silence_ns };

			if (!stn_transport_known(plan.transport) ||
			    !matches(options->transport, plan.transport) ||
			    !matches(options->provider, plan.provider) ||
			    (ways[j].apart && !fabrics[i].crosses))
				continue;
			*all_p = measure(&plan, options->rounds) && *all_p;
			measured++;
		}
	return measured;
}

int
main(int argc, char **argv)
{
	struct options options = { .silence = "1s", .rounds = 20 };
	const struct app_option table[] = {
		{ 't', "transport", "NAME", .text = &options.transport },
		{ 'p', "provider", "NAME", .text = &options.provider },
		{ 'r', "rounds", "ROUNDS", .number = &options.rounds,
		  .least = 1, .most = 10000 },
		{ 0, "silence", "TIME", .text = &options.silence },
		{ 0 },
	};
	uint64_t silence_ns;
	int status = app_options(argc - 1, argv + 1, help, table);
	bool all;

	if (status != APP_GO_ON)
		return status;
	if (stn_parse_duration(options.silence, &silence_ns) || !silence_ns ||
	    silence_ns > 60 * STN_SECOND_NS)
		return app_misuse("TIME must be up to 60s, not \"%s\"",
				  options.silence);
	printf("death: from a node's death until another node knows of it, "
	       "silence %s\n"
	       "%-6s %-6s %-21s %6s %10s %10s %10s\n",
	       options.silence, "", "", "", "deaths", "median, ms", "worst, ms",
	       "target, ms");
	if (!measure_all(&options, silence_ns, &all))
		return app_complain(EXIT_FAILURE, "no such transport");
	return all ? EXIT_SUCCESS : EXIT_FAILURE;
}
