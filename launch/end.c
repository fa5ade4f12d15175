#include "launch/end.h"

#include <unistd.h>

void
stn_end_process(int status)
{
	_exit(status);
}
