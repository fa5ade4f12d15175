#include "tests/transport/conformance.h"

int
main(void)
{
	return conformance("verbs", "auto", NULL);
}
