#include "tests/mortal.h"

int
main(void)
{
	return mortality("ofi", "shm");
}
