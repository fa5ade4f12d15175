/*
 * mortal_on.c: kills nodes on the transport, provider and places that the command
 * line names, for example
 *
 *	mortal_on verbs auto rxe1 rxe2 rxe3 rxe4
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/transport/mortal.h"

int
main(int argc, char **argv)
{
	if (argc == 3 + MORTAL_NODES)
		return mortal_run(argv[1], argv[2],
				  (const char *const *)argv + 3);
	fprintf(stderr, "Usage: %s TRANSPORT PROVIDER PLACE...\n", argv[0]);
	return EXIT_FAILURE;
}
