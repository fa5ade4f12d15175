#include "apps/sateen/report/chart.h"

#include "apps/sateen/xml.h"

static double
share(double part, const struct shares *of)
{
	return of->all > 0 ? part / of->all : 0;
}

/* The height of the area: work, plus waits if @waits. */
static double
level(const struct shares *bin, bool waits)
{
	return share(bin->works + (waits ? bin->waits : 0), bin);
}

/* An area below a line, with a step for each bin. */
static void
write_area(const struct shares bins[BINS], unsigned height, bool waits,
	   FILE *out)
{
	fprintf(out, "<path class=\"%s\" d=\"M0 %u", waits ? "waits" : "works",
		height);
	for (unsigned i = 0; i < BINS; i++) {
		fprintf(out, "V%.1fH%u", height * (1 - level(&bins[i], waits)),
			i + 1);
	}
	fprintf(out, "V%uZ\"/>", height);
}

void
chart_use(const struct shares bins[BINS], unsigned height, const char *name,
	  FILE *out)
{
	fprintf(out,
		"<svg class=\"use\" viewBox=\"0 0 %u %u\" height=\"%u\" "
		"preserveAspectRatio=\"none\" role=\"img\"><title>",
		(unsigned)BINS, height, height);
	xml_text(name, out);
	fputs("</title>", out);
	fprintf(out, "<rect class=\"idle\" width=\"%u\" height=\"%u\"/>",
		(unsigned)BINS, height);
	write_area(bins, height, true, out);
	write_area(bins, height, false, out);
	fputs("</svg>", out);
}

void
chart_bar(const struct shares *shares, FILE *out)
{
	fprintf(out,
		"<svg class=\"bar\" viewBox=\"0 0 100 10\" "
		"preserveAspectRatio=\"none\"><rect class=\"idle\" "
		"width=\"100\" height=\"10\"/><rect class=\"waits\" "
		"height=\"10\" width=\"%.1f\"/><rect class=\"works\" "
		"height=\"10\" width=\"%.1f\"/></svg>",
		100 * level(shares, true), 100 * level(shares, false));
}
