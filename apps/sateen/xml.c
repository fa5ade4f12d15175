#include "apps/sateen/xml.h"

void
xml_text(const char *text, FILE *out)
{
	for (; *text; text++)
		if (*text == '<')
			fputs("&lt;", out);
		else if (*text == '>')
			fputs("&gt;", out);
		else if (*text == '"')
			fputs("&quot;", out);
		else if (*text == '&')
			fputs("&amp;", out);
		else if ((unsigned char)*text >= ' ' || *text == '\t')
			fputc(*text, out);
}
