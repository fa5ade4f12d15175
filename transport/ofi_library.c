#include "transport/ofi_library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define SONAME "libfabric.so.1"

static const struct {
	const char *name;
	size_t offset;
} symbols[] = {
	{ "fi_getinfo", offsetof(struct ofi_library, getinfo) },
	{ "fi_freeinfo", offsetof(struct ofi_library, freeinfo) },
	{ "fi_dupinfo", offsetof(struct ofi_library, dupinfo) },
	{ "fi_fabric", offsetof(struct ofi_library, fabric) },
	{ "fi_strerror", offsetof(struct ofi_library, strerror) },
};

enum stn_err
ofi_library_load(struct ofi_library *library, struct stn_why *why)
{
	void *handle = dlopen(SONAME, RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		return stn_because(why, STN_MISSING,
				   "libfabric can't be loaded: %s; install "
				   "libfabric1",
				   dlerror());
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		void *symbol = dlsym(handle, symbols[i].name);

		if (!symbol)
			return stn_because(why, STN_MISSING, SONAME " lacks %s",
					   symbols[i].name);
		memcpy((char *)library + symbols[i].offset, &symbol,
		       sizeof(symbol));
	}
	return STN_OK;
}
