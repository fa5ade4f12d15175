#include "tests/transport/conformance.h"

int
main(void)
{
	return conformance("shm", "auto", NULL);
}
