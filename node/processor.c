#include "node/processor.h"

#include <string.h>

static bool
has_instruction(void)
{
#if defined __x86_64__
	__builtin_cpu_init();
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#elif defined __aarch64__
	return true;
#else
	return false;
#endif
}

bool
stn_processor_fuses(const struct stn_config *config)
{
	return strcmp(config->fuse, "no") && has_instruction();
}
