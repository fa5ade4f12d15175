#include "tests/transport/conformance.h"

int
main(void)
{
	return conformance("ofi", "net", NULL);
}
