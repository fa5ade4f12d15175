#include "transport/library.h"

#include <dlfcn.h>
#include <string.h>

enum stn_err
stn_library_load(const struct stn_library *library, void *calls,
		 struct stn_why *why)
{
	void *handle = dlopen(library->soname, RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		return stn_because(why, STN_MISSING,
				   "%s can't be loaded: %s; install %s",
				   library->name, dlerror(), library->packages);
	for (size_t i = 0; i < library->count; i++) {
		const struct stn_library_symbol *at = &library->symbols[i];
		void *symbol = dlsym(handle, at->name);

		if (!symbol)
			return stn_because(why, STN_MISSING, "%s lacks %s",
					   library->soname, at->name);
		memcpy((char *)calls + at->offset, &symbol, sizeof(symbol));
	}
	return STN_OK;
}
