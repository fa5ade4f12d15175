/*
 * library.c: a library that isn't there, or isn't the one that was expected, is
 * a line that says what to install; one that is has its functions filled in.
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
	       "of a library that is missing, one line says what to install");
	library.soname = "libc.so.6";
	tap_ok(!stn_library_load(&library, &calls, &why) && calls.strlen &&
		       calls.strlen("four") == 4 && !calls.nothing,
	       "what is there is loaded, and its calls are where they belong");
	library.count = 2;
	tap_ok(stn_library_load(&library, &calls, &why) == STN_MISSING &&
		       !strcmp(why.text, "libc.so.6 lacks stn_no_such_call"),
	       "one that lacks a call is named, and the call");
	return tap_end();
}
