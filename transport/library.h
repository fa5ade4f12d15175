/*
 * library.h: libraries that are loaded when they are first needed, so that
 * programs which don't use them neither need nor pay for them.
 */
#ifndef STN_TRANSPORT_LIBRARY_H
#define STN_TRANSPORT_LIBRARY_H

#include <stddef.h>

#include "transport/error.h"

/* A function of a library, and where in a table of pointers it belongs. */
struct stn_library_symbol {
	const char *name;
	size_t offset;
};

struct stn_library {
	const char *name; /* as users know it */
	const char *soname;
	const char *packages; /* what to install to have it */
	const struct stn_library_symbol *symbols;
	size_t count;
};

/*
 * stn_library_load: loads @library, and fills in the functions of the table
 * @calls; STN_MISSING, with a line in @why, if this machine doesn't have the
 * library, or one without such a function. It stays loaded. Any thread.
 */
STN_CHECKED enum stn_err stn_library_load(const struct stn_library *library,
					  void *calls, struct stn_why *why);

#endif
