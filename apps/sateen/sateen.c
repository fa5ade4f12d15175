/*
 * sateen: starts runs of Sateen programs, and tells what can be set.
 */
#include <stdlib.h>

#include <sateen.h>

#include "apps/sateen/bench.h"

static int
help(FILE *out)
{
	fputs("usage: sateen run [options] program [arguments]\n"
	      "       sateen sim [options] program [arguments]\n"
	      "       sateen bench benchmark [options]\n"
	      "       sateen info\n"
	      "\n"
	      "run   starts the program as the nodes of a run on this host:\n"
	      "        sateen run -n 8 --clusters 4 --wan 100ms,100KB/s "
	      "./nqueens 13\n"
	      "sim   simulates the same, in virtual time, with as many nodes as "
	      "memory holds:\n"
	      "        sateen sim --clusters 4x16 --wan 100ms,100KB/s "
	      "./nqueens 13\n"
	      "bench measures messages, and the bare fabric next to them:\n"
	      "        sateen bench latency --transport ofi --provider tcp\n"
	      "info  lists transports, balancers, and every setting; each is "
	      "an option of run\n",
	      out);
	return out == stdout ? EXIT_SUCCESS : 2;
}

static int
launch(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--help"))
		return help(stdout);
	return stn_launch(argc, argv);
}

int
main(int argc, char **argv)
{
	if (argc < 2)
		return help(stderr);
	if (!strcmp(argv[1], "run"))
		return launch(argc - 1, argv + 1);
	if (!strcmp(argv[1], "sim")) {
		setenv("STN_TRANSPORT", "sim", 1);
		return launch(argc - 1, argv + 1);
	}
	if (!strcmp(argv[1], "bench"))
		return bench(argc - 1, argv + 1);
	if (!strcmp(argv[1], "info") && argc == 2)
		return stn_info(stdout);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return help(stdout);
	if (!strcmp(argv[1], "info"))
		fputs("sateen: info takes no arguments\n", stderr);
	else
		fprintf(stderr,
			"sateen: no command \"%s\"; see sateen --help\n",
			argv[1]);
	return 2;
}
