#include "tests/transport/conformance.h"

int
main(void)
{
	return conformance("ofi", "shm", NULL);
}
