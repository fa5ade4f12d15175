/*
 * files.c: writes and reads small grids of each type of number, and makes the
 * mistakes that a run must refuse.
 *
 *	files WHAT FILE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sateen_parts.h>

struct pair {
	double a, b;
};

#define ROWS 7
#define COLUMNS 6

/* Writes a grid of @type, reads it into another grid, and compares both. */
#define TYPE(type, name)                                                       \
	STN_KERNEL(name##_fill, type)                                          \
	{                                                                      \
		for (long i = 0; i < at->rows; i++)                            \
			for (long j = 0; j < at->columns; j++)                 \
				at->to[i * at->stride + j] =                   \
					(type)((type)-1 / 2 - (at->row + i) -  \
					       10 * (at->column + j));         \
	}                                                                      \
	static bool name##_is_right(STN_FRAME, const char *file)               \
	{                                                                      \
		struct stn_parts *from = STN_GRID(type, ROWS, COLUMNS);        \
		struct stn_parts *to =                                         \
			STN_GRID(type, ROWS, COLUMNS, .part_rows = 2);         \
		type sent[ROWS * COLUMNS], got[ROWS * COLUMNS];                \
                                                                               \
		STN_FILL(from, name##_fill);                                   \
		STN_WRITE(from, file, #name);                                  \
		STN_READ(to, file, #name);                                     \
		STN_GET(from, 0, sent);                                        \
		STN_GET(to, 0, got);                                           \
		for (long i = 0; i < ROWS; i++)                                \
			for (long j = 0; j < COLUMNS; j++)                     \
				if (sent[i * COLUMNS + j] !=                   \
				    (type)((type)-1 / 2 - i - 10 * j))         \
					return false;                          \
		return !memcmp(sent, got, sizeof(sent));                       \
	}
TYPE(signed char, schar)
TYPE(unsigned char, uchar)
TYPE(char, plain)
TYPE(short, int16)
TYPE(unsigned short, uint16)
TYPE(int, int32)
TYPE(unsigned, uint32)
TYPE(long, int64)
TYPE(unsigned long, uint64)
TYPE(long long, longlong)
TYPE(unsigned long long, ulonglong)
TYPE(float, real32)
TYPE(double, real64)

#define TRY(name)                                                              \
	do {                                                                   \
		printf(#name ": %s\n",                                         \
		       name##_is_right(STN_PASS_FRAME, file) ? "right"         \
							     : "WRONG");       \
	} while (0)

static void
try_types(STN_FRAME, const char *file)
{
	TRY(schar);
	TRY(uchar);
	TRY(plain);
	TRY(int16);
	TRY(uint16);
	TRY(int32);
	TRY(uint32);
	TRY(int64);
	TRY(uint64);
	TRY(longlong);
	TRY(ulonglong);
	TRY(real32);
	TRY(real64);
}

STN_MAIN(argc, argv)
{
	const char *what = argc > 1 ? argv[1] : "types";
	const char *file = argc > 2 ? argv[2] : "files.nc";
	long rows = argc > 3 ? atol(argv[3]) : ROWS;
	struct stn_parts *grid;

	if (!strcmp(what, "types")) {
		try_types(STN_PASS_FRAME, file);
	} else if (!strcmp(what, "pairs")) {
		grid = STN_GRID(struct pair, ROWS, COLUMNS);
		STN_WRITE(grid, file, "pairs");
	} else if (!strcmp(what, "write")) {
		grid = STN_GRID(double, rows, COLUMNS);
		STN_FILL(grid, real64_fill);
		STN_WRITE(grid, file, "real64");
	} else if (!strcmp(what, "size")) {
		grid = STN_GRID(double, ROWS, COLUMNS + 1);
		STN_READ(grid, file, "real64");
	} else if (!strcmp(what, "deep")) {
		grid = STN_GRID_3D(double, 2, ROWS, COLUMNS);
		STN_READ(grid, file, "real64");
	} else if (!strcmp(what, "type")) {
		grid = STN_GRID(float, ROWS, COLUMNS);
		STN_READ(grid, file, "real64");
	} else if (!strcmp(what, "name")) {
		grid = STN_GRID(double, ROWS, COLUMNS);
		STN_READ(grid, file, "pressure");
	} else if (!strcmp(what, "read")) {
		grid = STN_GRID(double, ROWS, COLUMNS);
		STN_READ(grid, file, "real64");
	} else if (!strcmp(what, "frames")) {
		grid = STN_GRID_3D(double, 2, 1, 3);
		STN_READ(grid, file, "coordinates");
	}
	return 0;
}
