#include "tests/transport/conformance.h"

int
main(void)
{
	return conformance("loop", NULL, NULL);
}
