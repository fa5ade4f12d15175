#include "transport/error.h"

#include <stdarg.h>
#include <stdio.h>

const char *
stn_err_text(enum stn_err err)
{
	static const char *const texts[] = {
#define X(name, text) [STN_##name] = text,
		STN_ERRORS(X)
#undef X
	};

	if ((unsigned)err >= sizeof(texts) / sizeof(texts[0]))
		return "unknown error";
	return texts[err];
}

enum stn_err
stn_because(struct stn_why *why, enum stn_err err, const char *format, ...)
{
	va_list list;

	if (why) {
		va_start(list, format);
		vsnprintf(why->text, sizeof(why->text), format, list);
		va_end(list);
	}
	return err;
}
