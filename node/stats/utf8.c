#include "node/stats/utf8.h"

#include <stdbool.h>

/* Is it one of the bytes of a character but for its first? */
static bool
utf8_continues(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

size_t
stn_utf8(const char *text)
{
	const unsigned char *c = (const unsigned char *)text;

	if (c[0] < 0xc2 || c[0] > 0xf4 || !utf8_continues(c[1]))
		return 0;
	if (c[0] < 0xe0)
		return 2;
	if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) ||
	    (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f) ||
	    !utf8_continues(c[2]))
		return 0;
	if (c[0] < 0xf0)
		return 3;
	return utf8_continues(c[3]) ? 4 : 0;
}
