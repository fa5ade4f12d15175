#include "tests/conformance.h"

int
main(void)
{
	return conformance("loop", NULL, NULL);
}
