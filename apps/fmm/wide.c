#include "apps/fmm/wide.h"

#include <string.h>

#ifdef FMM_X86
extern const struct wide wide_avx512, wide_avx2;
#endif
extern const struct wide wide_plain;

/* The kinds that this processor has, the best first. */
static const struct wide *
kind(unsigned number)
{
#ifdef FMM_X86
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx512f") &&
	    __builtin_cpu_supports("avx512dq") &&
	    __builtin_cpu_supports("avx512vl") && number-- == 0)
		return &wide_avx512;
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
	    number-- == 0)
		return &wide_avx2;
#endif
	return number == 0 ? &wide_plain : NULL;
}

const char *
fmm_isa_name(unsigned number)
{
	const struct wide *wide = kind(number);

	return wide ? wide->name : NULL;
}

const struct wide *
wide_find(const char *name)
{
	const struct wide *wide = kind(0);

	for (unsigned i = 0; name && wide && strcmp(wide->name, name) != 0;)
		wide = kind(++i);
	return wide;
}
