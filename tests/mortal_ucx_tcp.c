#include "tests/mortal.h"

int
main(void)
{
	return mortality("ucx", "tcp");
}
