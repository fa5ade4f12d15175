#include "tests/transport/mortal.h"

int
main(void)
{
	return mortal_run("ucx", "shm", NULL);
}
