/*
 * cells_wrong.c: programs that use arrays of cells wrongly. Each ends with one
 * line.
 *
 *	cells_wrong nan | far | early | twice | bytes | range
 *	cells_wrong arguments | grid | cells | place | brief | records
 *	cells_wrong reach | other | room | rooms
 */
#include <math.h>
#include <string.h>
#include <sateen_cells.h>

struct dot {
	double at[3];
};

STN_CELLS_KERNEL(wrong_fill, struct dot, double, last)
{
	for (long i = 0; i < at->count; i++)
		at->records[i] =
			(struct dot){ { (double)i, 0,
					at->first + i < 99 ? -last : last } };
}

STN_CELLS_KERNEL(wrong_kernel, double)
{
}

STN_REACH(wrong_reach)
{
	return STN_REACH_SKIP;
}

STN_REACH(unknown_reach)
{
	return 42;
}

STN_CELLS_KERNEL(wrong_room, struct dot)
{
	STN_ROOM(at, 8);
	STN_ROOM(at, 8);
}

STN_CELLS_KERNEL(no_sweep, struct dot)
{
}

STN_COMBINE(no_combination)
{
}

STN_KERNEL(wrong_sweep, struct dot)
{
}

STN_MAIN(argc, argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	struct stn_parts *dots =
		STN_CELLS(struct dot, !strcmp(what, "records") ? -1 : 100,
			  .place = !strcmp(what, "place"), .most = 7,
			  .brief = strcmp(what, "brief") ? 0 : 1u << 30);
	double last = !strcmp(what, "nan")   ? NAN
		      : !strcmp(what, "far") ? 1.7e308
					     : 1;
	struct dot dot[2];

	if (!strcmp(what, "early"))
		STN_CELLS_GET(dots, 0, 1, dot);
	STN_CELLS_FILL(dots, wrong_fill, last);
	if (!strcmp(what, "twice"))
		STN_CELLS_FILL(dots, wrong_fill, last);
	if (!strcmp(what, "bytes"))
		STN_CELLS_SWEEP(dots, wrong_kernel);
	if (!strcmp(what, "range"))
		STN_CELLS_GET(dots, 99, 2, dot);
	if (!strcmp(what, "other"))
		STN_CELLS_REACH(dots, wrong_fill, wrong_fill, last);
	if (!strcmp(what, "arguments"))
		STN_CELLS_REACH(dots, wrong_reach, wrong_fill, last);
	if (!strcmp(what, "reach"))
		STN_CELLS_REACH(dots, unknown_reach, no_sweep);
	if (!strcmp(what, "room"))
		STN_CELLS_SWEEP(dots, wrong_room);
	if (!strcmp(what, "rooms"))
		STN_SUMMARISE(dots, wrong_room, no_combination);
	if (!strcmp(what, "grid"))
		STN_REHASH(STN_GRID(struct dot, 10, 10));
	if (!strcmp(what, "cells"))
		STN_SWEEP(dots, wrong_sweep);
	return 0;
}
