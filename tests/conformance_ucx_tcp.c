#include "tests/conformance.h"

int
main(void)
{
	return conformance("ucx", "tcp", NULL);
}
