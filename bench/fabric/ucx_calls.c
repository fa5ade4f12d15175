#include "bench/fabric/ucx_calls.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define SONAME "libucp.so.0"

static const struct {
	const char *name;
	size_t offset;
} symbols[] = {
#define X(name) { #name, offsetof(struct ucx_calls, name) },
	UCX_CALLS(X)
#undef X
};

enum stn_err
ucx_calls_load(struct ucx_calls *calls, struct stn_why *why)
{
	void *handle = dlopen(SONAME, RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		return stn_because(why, STN_MISSING, "can't be loaded: %s",
				   dlerror());
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		void *symbol = dlsym(handle, symbols[i].name);

		if (!symbol)
			return stn_because(why, STN_MISSING, SONAME " lacks %s",
					   symbols[i].name);
		memcpy((char *)calls + symbols[i].offset, &symbol,
		       sizeof(symbol));
	}
	return STN_OK;
}
