/*
 * library.c: loading a library sets its functions, or says in one line which
 * packages to install or which function the library lacks.
 */
#include "transport/library.h"

#include <string.h>

#include "tests/tap.h"

struct calls {
	int (*nothing)(void);
	size_t (*strlen)(const char *text);
};

static const struct stn_library_symbol symbols[] = {
	{ "strlen", offsetof(struct calls, strlen) },
	{ "stn_no_such_call", offsetof(struct calls, nothing) },
};

int
main(void)
{
	struct stn_library library = { .name = "the library",
				       .soname = "libstn-no-such.so.1",
				       .packages = "this and that",
				       .symbols = symbols,
				       .count = 1 };
	struct calls calls = { NULL, NULL };
	struct stn_why why;

	tap_begin();
	tap_ok(stn_library_load(&library, &calls, &why) == STN_MISSING &&
		       strstr(why.text, "the library can't be loaded: ") &&
		       strstr(why.text, "; install this and that") &&
		       !strchr(why.text, '\n'),
	       "if a library is missing, one line says what to install");
	library.soname = "libc.so.6";
	tap_ok(!stn_library_load(&library, &calls, &why) && calls.strlen &&
		       calls.strlen("four") == 4 && !calls.nothing,
	       "a library that is there is loaded, and its functions are set");
	library.count = 2;
	tap_ok(stn_library_load(&library, &calls, &why) == STN_MISSING &&
		       !strcmp(why.text, "libc.so.6 lacks stn_no_such_call"),
	       "a library that lacks a function is named, and the function");
	return tap_end();
}
