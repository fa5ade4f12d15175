/*
 * library.h: loads shared libraries when they are first needed. Programs that
 * don't use a library then need not have it installed, and start without the
 * cost of loading it.
 */
#ifndef STN_TRANSPORT_LIBRARY_H
#define STN_TRANSPORT_LIBRARY_H

#include <stddef.h>

#include "transport/error.h"

/* A function of a library. */
struct stn_library_symbol {
	const char *name;
	size_t offset; /* of its pointer in the table of calls */
};

struct stn_library {
	const char *name; /* as users know it */
	const char *soname;
	const char *packages; /* to install, for the error message */
	const struct stn_library_symbol *symbols;
	size_t count;
};

/*
 * stn_library_load: loads @library and sets the function pointers in the table
 * @calls. Returns STN_MISSING if this machine doesn't have the library, or if
 * the library lacks one of the functions; then some of the pointers may be set.
 * The library is never unloaded. Any thread.
 */
STN_CHECKED enum stn_err stn_library_load(const struct stn_library *library,
					  void *calls, struct stn_why *why);

#endif
