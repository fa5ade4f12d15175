/*
 * sateen: the command that starts runs of Sateen programs and lists settings.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <errno.h>
#include <stdlib.h>

#include <sateen.h>

#include "apps/sateen/commands.h"
#include "launch/run/launch.h"
#include "launch/signals.h"
#include "launch/tool.h"

static int
help(FILE *out)
{
	fputs("usage: sateen run [options] program [arguments]\n"
	      "       sateen sim [options] program [arguments]\n"
	      "       sateen join [options] -- command\n"
	      "       sateen bench benchmark [options]\n"
	      "       sateen report trace [page]\n"
	      "       sateen speedup [options] program [arguments]\n"
	      "       sateen info\n"
	      "       sateen runs\n"
	      "       sateen top\n"
	      "       sateen top [--once] run\n"
	      "       sateen leave run host\n"
	      "       sateen add run --nodes number | --hosts file\n"
	      "       sateen help topic\n"
	      "\n"
	      "run   starts the program as the nodes of a run, here or by "
	      "ssh:\n"
	      "        sateen run -n 8 --clusters 4 --wan 100ms,100KB/s "
	      "./nqueens 13\n"
	      "        sateen run --hosts FILE ./nqueens 16\n"
	      "        --gateways, first, brings a gateway for each cluster "
	      "(sateen join)\n"
	      "sim   simulates the same, in virtual time, with as many nodes "
	      "as "
	      "memory holds:\n"
	      "        sateen sim --clusters 4x16 --wan 100ms,100KB/s "
	      "./nqueens 13\n"
	      "join  is one cluster's part in a run of several clusters; see "
	      "sateen join --help\n"
	      "bench measures messages, and the bare fabric next to them:\n"
	      "        sateen bench latency --transport ofi --provider tcp\n"
	      "report writes a page about a run with --trace; see sateen "
	      "report --help\n"
	      "speedup runs a program with more and more workers; see sateen "
	      "speedup --help\n"
	      "info  lists transports, balancers, schedulers, forecasts and "
	      "every setting;\n"
	      "        each setting is an option of run\n"
	      "runs  lists your runs on this host\n"
	      "top   shows a run while it goes on\n"
	      "leave makes the nodes of a host leave a run; see sateen leave "
	      "--help\n"
	      "add   lets more nodes join a run; see sateen add --help\n"
	      "help  shows a manual page or a guide; without a topic, a list "
	      "of topics\n",
	      out);
	return out == stdout ? EXIT_SUCCESS : 2;
}

static int
launch(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--help"))
		return help(stdout);
	if (argc > 1 && !strcmp(argv[1], "--gateways"))
		return join_here(argc - 1, argv + 1);
	return stn_launch_serving(argc, argv, &stn_http);
}

static int
command(int argc, char **argv)
{
	if (argc < 2)
		return help(stderr);
	if (!strcmp(argv[1], "run"))
		return launch(argc - 1, argv + 1);
	if (!strcmp(argv[1], "agent")) /* `sateen run` calls it by ssh */
		return stn_launch(argc - 1, argv + 1);
	if (!strcmp(argv[1], "sim")) {
		setenv("STN_TRANSPORT", "sim", 1);
		return launch(argc - 1, argv + 1);
	}
	if (!strcmp(argv[1], "join"))
		return join(argc - 1, argv + 1);
	if (!strcmp(argv[1], "bench"))
		return bench(argc - 1, argv + 1);
	if (!strcmp(argv[1], "report"))
		return report(argc - 1, argv + 1);
	if (!strcmp(argv[1], "speedup"))
		return speedup(argc - 1, argv + 1);
	if (!strcmp(argv[1], "runs"))
		return runs(argc - 1, argv + 1);
	if (!strcmp(argv[1], "top"))
		return top(argc - 1, argv + 1);
	if (!strcmp(argv[1], "leave"))
		return leave(argc - 1, argv + 1);
	if (!strcmp(argv[1], "add"))
		return add(argc - 1, argv + 1);
	if (!strcmp(argv[1], "help"))
		return help_on(argc - 1, argv + 1);
	if (!strcmp(argv[1], "info") && argc == 2)
		return stn_info(stdout);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return help(stdout);
	if (!strcmp(argv[1], "--version") && argc == 2) {
		puts("sateen " VERSION);
		return EXIT_SUCCESS;
	}
	if (!strcmp(argv[1], "info") || !strcmp(argv[1], "--version"))
		fprintf(stderr, "sateen: %s takes no arguments\n", argv[1]);
	else
		fprintf(stderr,
			"sateen: no command \"%s\"; see sateen --help\n",
			argv[1]);
	return 2;
}

/* A command whose output is lost has failed. */
int
main(int argc, char **argv)
{
	int status;

	stn_signals_ignore_xfsz();
	status = command(argc, argv);
	errno = 0; /* an earlier write may have failed */
	if (status || (!fflush(stdout) && !ferror(stdout)))
		return status;
	fprintf(stderr, "sateen: can't write standard output: %s\n",
		strerror(errno));
	return EXIT_FAILURE;
}
