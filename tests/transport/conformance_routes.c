#include "tests/transport/conformance.h"

int
main(void)
{
	return conformance("shm+ofi", "tcp", NULL);
}
