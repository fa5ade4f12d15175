#include "apps/sateen/xml.h"

#include <string.h>

#include "node/stats/utf8.h"

/* Writes a character outside ASCII. Returns the number of its bytes. */
static size_t
xml_wide(const char *text, FILE *out)
{
	size_t bytes = stn_utf8(text);

	if (!bytes) {
		fprintf(out, "&#%d;", (unsigned char)*text);
		return 1;
	}
	/* U+FFFE and U+FFFF */
	if (strncmp(text, "\xef\xbf\xbe", 3) &&
	    strncmp(text, "\xef\xbf\xbf", 3))
		fwrite(text, 1, bytes, out);
	return bytes;
}

static void
xml_ascii(char c, FILE *out)
{
	if (c == '<')
		fputs("&lt;", out);
	else if (c == '>')
		fputs("&gt;", out);
	else if (c == '"')
		fputs("&quot;", out);
	else if (c == '&')
		fputs("&amp;", out);
	else if (c >= ' ' || c == '\t')
		fputc(c, out);
}

void
xml_text(const char *text, FILE *out)
{
	while (*text)
		if ((unsigned char)*text < 0x80)
			xml_ascii(*text++, out);
		else
			text += xml_wide(text, out);
}
