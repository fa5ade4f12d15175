/*
 * curve.c: the chart: the speedup over the number of workers, both on a scale
 * of powers of two, with the line of ideal speedup and the bound by work and
 * span. One SVG file without links and scripts, whose colours suit light and
 * dark pages.
 */
#include "apps/sateen/speedup/speedup.h"

#include <math.h>
#include <string.h>

#include "apps/sateen/xml.h"

#define WIDTH 720
#define HEIGHT 520
#define LEFT 64
#define RIGHT 24
#define TOP 56
#define BOTTOM 52
#define COLOURS 4

static const char style[] =
	":root{color-scheme:light dark;--text:#1a1f24;--paper:#fff;"
	"--faint:#667;--line:#d9dde2;--s0:#1f8a70;--s1:#c2571a;--s2:#3566b8;"
	"--s3:#8a4fa3}\n"
	"@media(prefers-color-scheme:dark){:root{--text:#e6e8ea;"
	"--paper:#14181c;--faint:#9aa4ad;--line:#323a42;--s0:#35b796;"
	"--s1:#e8a33d;--s2:#7aa5ec;--s3:#c79adb}}\n"
	"text{font:13px system-ui,sans-serif;fill:var(--text)}"
	".name{font-size:15px;font-weight:600}.faint{fill:var(--faint)}"
	".grid{stroke:var(--line)}.ideal{stroke:var(--faint);"
	"stroke-dasharray:2 4}.bound{stroke:var(--text);"
	"stroke-dasharray:7 4}polyline,line{fill:none;stroke-width:1.5}"
	".s0{stroke:var(--s0)}.s1{stroke:var(--s1)}.s2{stroke:var(--s2)}"
	".s3{stroke:var(--s3)}circle{fill:var(--paper);stroke-width:2}";

/* The ends of the two scales, as powers of two. */
struct scale {
	double low, high; /* of the speedup */
	double most;	  /* of the workers, whose scale begins at 1 */
};

/* A bound of less than one worker is drawn at the edge. */
static double
x_of(const struct scale *scale, double workers)
{
	double power = fmax(log2(workers), 0);

	return LEFT + (WIDTH - LEFT - RIGHT) * power / scale->most;
}

/* A speedup outside the chart, or an unknown one (0), is drawn at its edge. */
static double
y_of(const struct scale *scale, double speedup)
{
	double power = fmin(fmax(log2(speedup), scale->low), scale->high);
	double share = (power - scale->low) / (scale->high - scale->low);

	return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share;
}

/* The ideal speedup is inside the chart. */
static struct scale
scale_of(const struct speedup *speedup)
{
	struct scale scale = { 0, 1, 1 };

	for (uint32_t i = 0; i < speedup->count; i++) {
		const struct point *point = &speedup->points[i];
		double times = speedup_of(speedup, point);

		scale.most =
			fmax(scale.most, ceil(log2(speedup_workers(point))));
		if (times > 0) {
			scale.high = fmax(scale.high, ceil(log2(times)));
			scale.low = fmin(scale.low, floor(log2(times)));
		}
	}
	scale.high = fmax(scale.high, scale.most);
	return scale;
}

static void
write_program(const struct speedup *speedup, FILE *out)
{
	for (char **word = speedup->program; *word; word++) {
		if (word != speedup->program)
			fputc(' ', out);
		xml_text(*word, out);
	}
}

static void
write_grid(const struct scale *scale, FILE *out)
{
	for (double i = 0; i <= scale->most; i++)
		fprintf(out,
			"<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" "
			"y1=\"%d\" y2=\"%d\"/><text class=\"faint\" "
			"text-anchor=\"middle\" x=\"%.1f\" y=\"%d\">%.0f"
			"</text>\n",
			x_of(scale, exp2(i)), x_of(scale, exp2(i)), TOP,
			HEIGHT - BOTTOM, x_of(scale, exp2(i)),
			HEIGHT - BOTTOM + 18, exp2(i));
	for (double i = scale->low; i <= scale->high; i++)
		fprintf(out,
			"<line class=\"grid\" x1=\"%d\" x2=\"%d\" "
			"y1=\"%.1f\" y2=\"%.1f\"/><text class=\"faint\" "
			"text-anchor=\"end\" x=\"%d\" y=\"%.1f\">%g"
			"</text>\n",
			LEFT, WIDTH - RIGHT, y_of(scale, exp2(i)),
			y_of(scale, exp2(i)), LEFT - 8,
			y_of(scale, exp2(i)) + 4, exp2(i));
	fprintf(out,
		"<text class=\"faint\" text-anchor=\"middle\" x=\"%d\" "
		"y=\"%d\">workers</text>\n<text class=\"faint\" "
		"text-anchor=\"middle\" transform=\"translate(18 %d) "
		"rotate(-90)\">speedup</text>\n",
		(LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12,
		(TOP + HEIGHT - BOTTOM) / 2);
}

static void
write_bounds(const struct speedup *speedup, const struct scale *scale,
	     FILE *out)
{
	double most = exp2(scale->most);
	double bound = speedup_bound(speedup, most);

	fprintf(out,
		"<polyline class=\"ideal\" points=\"%.1f,%.1f %.1f,%.1f\"/>\n",
		x_of(scale, 1), y_of(scale, 1), x_of(scale, most),
		y_of(scale, most));
	if (speedup->span_s > 0)
		fprintf(out,
			"<polyline class=\"bound\" points=\"%.1f,%.1f "
			"%.1f,%.1f %.1f,%.1f\"/>\n",
			x_of(scale, 1), y_of(scale, 1), x_of(scale, bound),
			y_of(scale, bound), x_of(scale, most),
			y_of(scale, bound));
}

static void
write_series(const struct speedup *speedup, const struct scale *scale,
	     uint32_t number, FILE *out)
{
	const struct series *series = &speedup->series[number];

	fprintf(out, "<polyline class=\"s%u\" points=\"", number % COLOURS);
	for (uint32_t i = 0; i < series->count; i++) {
		const struct point *point = &speedup->points[series->points[i]];

		fprintf(out, "%s%.1f,%.1f", i ? " " : "",
			x_of(scale, speedup_workers(point)),
			y_of(scale, speedup_of(speedup, point)));
	}
	fputs("\"/>\n", out);
	for (uint32_t i = 0; i < series->count; i++) {
		const struct point *point = &speedup->points[series->points[i]];

		fprintf(out,
			"<circle class=\"s%u\" r=\"4\" cx=\"%.1f\" "
			"cy=\"%.1f\"><title>%u x %u workers: %.6f s, speedup "
			"%.2f</title></circle>\n",
			number % COLOURS, x_of(scale, speedup_workers(point)),
			y_of(scale, speedup_of(speedup, point)), point->nodes,
			point->workers, point->seconds,
			speedup_of(speedup, point));
	}
}

static void
write_key(unsigned row, const char *class, const char *name, FILE *out)
{
	unsigned y = TOP + 18 + 20 * row;

	fprintf(out,
		"<line class=\"%s\" x1=\"%d\" x2=\"%d\" y1=\"%u\" "
		"y2=\"%u\"/><text x=\"%d\" y=\"%u\">%s</text>\n",
		class, LEFT + 14, LEFT + 44, y - 4, y - 4, LEFT + 52, y, name);
}

static void
write_keys(const struct speedup *speedup, FILE *out)
{
	char text[80];
	uint32_t i;

	for (i = 0; i < speedup->series_count; i++) {
		snprintf(text, sizeof(text), "s%u", i % COLOURS);
		write_key(i, text, speedup->series[i].name, out);
	}
	write_key(i++, "ideal", "ideal: as many times as workers", out);
	if (speedup->span_s > 0) {
		snprintf(text, sizeof(text), "at most: work / span = %.1f",
			 speedup->work_s / speedup->span_s);
		write_key(i, "bound", text, out);
	}
}

void
curve_write(const struct speedup *speedup, FILE *out)
{
	const struct scale scale = scale_of(speedup);

	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
		"height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n<title>"
		"Speedup of ",
		WIDTH, HEIGHT, WIDTH, HEIGHT);
	write_program(speedup, out);
	fprintf(out,
		"</title>\n<style>%s</style>\n<rect width=\"%d\" "
		"height=\"%d\" fill=\"var(--paper)\"/>\n<text class=\"name\" "
		"x=\"%d\" y=\"30\">",
		style, WIDTH, HEIGHT, LEFT);
	write_program(speedup, out);
	fprintf(out, "%s</text>\n", speedup->sim ? " (simulated)" : "");
	write_grid(&scale, out);
	write_bounds(speedup, &scale, out);
	for (uint32_t i = 0; i < speedup->series_count; i++)
		write_series(speedup, &scale, i, out);
	write_keys(speedup, out);
	fputs("</svg>\n", out);
}
