/*
 * conformance_on.c: runs the suite on the transport, provider and places that
 * the command line names, for example
 *
 *	conformance_on ofi verbs 10.9.0.1 10.9.0.2 10.9.0.3
 */
#include <stdio.h>

#include "tests/transport/conformance.h"

int
main(int argc, char **argv)
{
	if (argc == 3)
		return conformance(argv[1], argv[2], NULL);
	if (argc == 3 + NET_NODES)
		return conformance_at(argv[1], argv[2],
				      (const char *const *)argv + 3);
	fprintf(stderr, "Usage: %s TRANSPORT PROVIDER [PLACE PLACE PLACE]\n",
		argv[0]);
	return EXIT_FAILURE;
}
