#include "tests/transport/conformance.h"

int
main(void)
{
	const struct stn_link wan = { 5000000, 10000000, 0 };

	return conformance("loop", NULL, &wan);
}
