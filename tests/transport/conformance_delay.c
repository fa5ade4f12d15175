#include "tests/transport/conformance.h"

int
main(void)
{
	const struct stn_link wan = { .latency_ns = 5000000,
				      .bytes_per_s = 10000000 };

	return conformance("loop", NULL, &wan);
}
