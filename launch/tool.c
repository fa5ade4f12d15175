#include "launch/tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emul/sim_transport.h"
#include "launch/launcher_env.h"
#include "launch/settings.h"
#include "launch/survey/fabrics.h"
#include "node/config.h"
#include "parts/forecast.h"
#include "parts/news/news.h"
#include "parts/scheduler.h"
#include "steal/balancers.h"
#include "steal/sateen.h"
#include "transport/backends.h"

int
stn_info(FILE *out)
{
	struct stn_config config;
	struct stn_why why;

	stn_config_defaults(&config);
	if (stn_config_environment(&config, &why)) {
		fprintf(stderr, "sateen: %s\n", why.text);
		return 2;
	}
	fputs("transports\n", out);
	stn_transport_list(&stn_transport_sim, out);
	fputc('\n', out);
	stn_fabrics_list("", out);
	fputs("\nbalancers\n", out);
	stn_balancer_list(out);
	fputs("\nschedulers\n", out);
	stn_scheduler_list(out);
	fputs("\nforecasts\n", out);
	stn_forecast_list(out);
	fputs("\nnews policies (benchmarks loadnews and jacobi_news)\n", out);
	stn_news_list(out);
	fputs("\nsettings: --NAME VALUE for `sateen run`, or the variable "
	      "STN_NAME\n",
	      out);
	stn_config_list(&config, out);
	return EXIT_SUCCESS;
}

/*
 * mpirun or srun has started this process as one of @nodes: it becomes the
 * tool.
 * @line  settings, and behind them the tool's command line
 */
static int
become_tool(uint64_t nodes, int argc, char **line)
{
	struct stn_config config;
	struct stn_why why;
	int next;
	enum stn_err err;

	stn_config_defaults(&config);
	err = stn_config_environment(&config, &why);
	if (!err)
		err = stn_config_options(&config, argc, line, &next, &why);
	config.nodes = nodes;
	if (!err && stn_config_export(&config))
		err = stn_because(&why, STN_NO_MEMORY, "out of memory");
	if (!err) {
		execv(line[next], line + next);
		stn_because(&why, STN_IO, "can't run %s: %s", line[next],
			    strerror(errno));
	}
	if (!stn_launcher_rank())
		fprintf(stderr, "sateen: %s\n", why.text);
	return err == STN_INVALID ? 2 : EXIT_FAILURE;
}

/* Do the options say another number of nodes? Wrong ones are refused later. */
static bool
changes_nodes(struct stn_config *config, int argc, char **argv)
{
	struct stn_why why;
	int next;

	return !stn_config_options(config, argc, argv, &next, &why) &&
	       config->asked_nodes && config->asked_nodes != 2;
}

int
stn_launch_tool(int argc, char **argv)
{
	static const char *const first[] = { "run", "-n", "2", "-w", "1" };
	const int firsts = sizeof(first) / sizeof(first[0]);
	size_t most = (size_t)(firsts + argc + 2);
	char **line = calloc(most, sizeof(line[0])), **at = line;
	struct stn_config config;
	const char *launcher;
	uint64_t nodes = stn_launcher_size(&launcher);
	int settings, status;

	if (!line) {
		fputs("sateen: out of memory\n", stderr);
		return EXIT_FAILURE;
	}
	for (int i = 0; i < firsts; i++)
		*at++ = (char *)first[i];
	stn_config_defaults(&config);
	settings = stn_config_sift(&config, argc - 1, argv + 1);
	if (changes_nodes(&config, settings, argv + 1)) {
		fputs("sateen: benchmarks measure between two nodes; leave -n "
		      "out\n",
		      stderr);
		free(line);
		return 2;
	}
	at = mempcpy(at, argv + 1, (size_t)settings * sizeof(*at));
	*at++ = argv[0];
	at = mempcpy(at, argv + 1 + settings,
		     (size_t)(argc - 1 - settings) * sizeof(*at));
	if (nodes > 1)
		status = become_tool(nodes, (int)(at - line) - 1, line + 1);
	else
		status = stn_launch((int)(at - line), line);
	free(line);
	return status;
}
