#include <stdlib.h>

#include "tests/conformance.h"
#include "tests/far_gateway.h"

int
main(void)
{
	if (!far_gateway_start())
		return EXIT_FAILURE;
	return conformance("far", "auto", NULL);
}
