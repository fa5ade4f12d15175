#include <stdlib.h>

#include "tests/transport/conformance.h"
#include "tests/transport/far_gateway.h"

int
main(void)
{
	if (!far_gateway_start())
		return EXIT_FAILURE;
	return conformance("far", "auto", NULL);
}
