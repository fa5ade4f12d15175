#include "steal/fence.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool
membarrier(int command)
{
	return !syscall(__NR_membarrier, command, 0, 0);
}

bool
stn_fence_prepare(void)
{
	return membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
}

bool
stn_fence_process(void)
{
	return membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}
