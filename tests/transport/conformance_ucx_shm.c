#include "tests/transport/conformance.h"

int
main(void)
{
	return conformance("ucx", "shm", NULL);
}
