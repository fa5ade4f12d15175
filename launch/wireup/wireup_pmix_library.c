#include "launch/wireup/wireup_pmix_library.h"

#include "transport/library.h"

static const struct stn_library_symbol symbols[] = {
	{ "PMIx_Init", offsetof(struct pmix_library, init) },
	{ "PMIx_Finalize", offsetof(struct pmix_library, finalize) },
	{ "PMIx_Abort", offsetof(struct pmix_library, abort) },
	{ "PMIx_Put", offsetof(struct pmix_library, put) },
	{ "PMIx_Commit", offsetof(struct pmix_library, commit) },
	{ "PMIx_Fence_nb", offsetof(struct pmix_library, fence_nb) },
	{ "PMIx_Get", offsetof(struct pmix_library, get) },
	{ "PMIx_Error_string", offsetof(struct pmix_library, error_string) },
};

static const struct stn_library libpmix = {
	.name = "PMIx",
	.soname = "libpmix.so.2",
	.packages = "libpmix2",
	.symbols = symbols,
	.count = sizeof(symbols) / sizeof(symbols[0]),
};

enum stn_err
pmix_library_load(struct pmix_library *library, struct stn_why *why)
{
	return stn_library_load(&libpmix, library, why);
}
