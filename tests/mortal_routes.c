#include "tests/mortal.h"

int
main(void)
{
	return mortality("shm+ofi", "tcp");
}
