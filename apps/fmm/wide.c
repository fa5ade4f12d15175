#include "apps/fmm/wide.h"

#include <string.h>

#ifdef FMM_X86
extern const struct wide wide_avx512, wide_avx2;
#endif
#ifdef FMM_OTHER
extern const struct wide wide_unfused;
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
	if (number == 0)
		return &wide_plain;
#ifdef FMM_OTHER
	if (number == 1)
		return &wide_unfused;
#endif
	return NULL;
}

const char *
fmm_isa_name(unsigned number)
{
	const struct wide *wide = kind(number);

	return wide ? wide->name : NULL;
}

static bool
fits(const struct wide *wide, const char *name, enum fmm_arithmetic arithmetic)
{
	if (name && strcmp(wide->name, name) != 0)
		return false;
	return arithmetic == FMM_ANY ||
	       wide->fused == (arithmetic == FMM_FUSED);
}

const struct wide *
wide_find(const char *name, enum fmm_arithmetic arithmetic)
{
	const struct wide *wide = kind(0);

	for (unsigned i = 0; wide && !fits(wide, name, arithmetic);)
		wide = kind(++i);
	return wide;
}
