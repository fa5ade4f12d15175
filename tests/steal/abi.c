/*
 * abi.c: what programs have compiled into themselves has the layout of the ABI
 * that the library's name promises (docs/abi.md). This file does not compile if
 * that changes: then -version-info in Makefile.am changes, too.
 */
#include <sateen_cells.h>
#include <sateen_parts.h>

#include "tests/tap.h"

#define SIZE(type, bytes)                                                      \
	_Static_assert(sizeof(struct type) == (bytes), #type)
#define PLACE(type, member, bytes)                                             \
	_Static_assert(offsetof(struct type, member) == (bytes),               \
		       #type "." #member)

SIZE(stn_record, 128);
PLACE(stn_record, ready, 0);
PLACE(stn_record, thief, 16);
PLACE(stn_record, rank, 20);
PLACE(stn_record, arguments, 40);
PLACE(stn_deque, limit, 0);
PLACE(stn_deque, work, 8);
PLACE(stn_deque, poll, 16);
PLACE(stn_deque, done, 24);
PLACE(stn_deque, known, 32);
SIZE(stn_frame, 24);
PLACE(stn_frame, deque, 0);
PLACE(stn_frame, head, 8);
PLACE(stn_frame, pending, 16);
SIZE(stn_task, 48);
PLACE(stn_task, name, 0);
PLACE(stn_task, result, 8);
PLACE(stn_task, run, 16);
PLACE(stn_task, arguments, 24);
PLACE(stn_task, argument_count, 32);
PLACE(stn_task, argument_bytes, 36);
PLACE(stn_task, result_bytes, 40);
SIZE(stn_task_entry, 16);
SIZE(stn_argument, 16);
PLACE(stn_argument, offset, 8);
PLACE(stn_argument, bytes, 10);
PLACE(stn_argument, kind, 12);
SIZE(stn_in, 24);
SIZE(stn_out, 24);
SIZE(stn_inout, 24);
PLACE(stn_in, rows, 8);
PLACE(stn_in, row_bytes, 12);
PLACE(stn_in, stride, 16);
SIZE(stn_bound, 8);
SIZE(stn_const, 8);
SIZE(stn_incumbent, 16);
SIZE(stn_watch, 24);
SIZE(stn_grid, 64);
PLACE(stn_grid, element, 24);
PLACE(stn_grid, halo, 32);
PLACE(stn_grid, star, 60);
PLACE(stn_grid, progress, 62);
SIZE(stn_at, 96);
PLACE(stn_at, planes, 16);
PLACE(stn_at, parity, 80);
PLACE(stn_at, value, 88);
SIZE(stn_cell, 48);
SIZE(stn_cells_options, 32);
SIZE(stn_near, 88);
SIZE(stn_far, 56);
SIZE(stn_cells_at, 208);
PLACE(stn_cells_at, work, 184);
PLACE(stn_cells_at, value, 192);
SIZE(stn_reach_at, 104);
SIZE(stn_combine_at, 80);

int
main(void)
{
	tap_begin();
	tap_ok(true, "structures of the ABI have the sizes that programs know");
	return tap_end();
}
