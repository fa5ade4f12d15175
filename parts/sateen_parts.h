/*
 * sateen_parts.h: arrays that are distributed over the nodes of a run, and
 * swept again and again.
 *
 * A grid is cut into parts. Each node has some of the parts; parts move from
 * one node to another while the program runs, so that all nodes finish at the
 * same time although their speeds differ and change. A program writes what is
 * done at each point (a kernel) and how far a point looks (the halo). It packs,
 * sends and moves nothing:
 *
 *	#include <stdio.h>
 *	#include <sateen_parts.h>
 *
 *	STN_KERNEL(hot_edge, double)
 *	{
 *		for (long i = 0; i < at->rows; i++)
 *			for (long j = 0; j < at->columns; j++)
 *				at->to[i * at->stride + j] = at->row + i < 0;
 *	}
 *
 *	STN_KERNEL(average, double)
 *	{
 *		const long stride = at->stride;
 *
 *		for (long i = 0; i < at->rows; i++) {
 *			const double *from = at->from + i * stride;
 *			double *to = at->to + i * stride;
 *
 *			for (long j = 0; j < at->columns; j++)
 *				to[j] = (from[j - stride] + from[j + stride] +
 *					 from[j - 1] + from[j + 1]) / 4;
 *		}
 *	}
 *
 *	STN_MEASURE(heat, double)
 *	{
 *		double sum = 0;
 *
 *		for (long i = 0; i < at->rows; i++)
 *			for (long j = 0; j < at->columns; j++)
 *				sum += at->from[i * at->stride + j];
 *		return sum;
 *	}
 *
 *	STN_MAIN(argc, argv)
 *	{
 *		struct stn_parts *grid = STN_GRID(double, 1000, 1000, .halo = 1);
 *
 *		STN_FILL(grid, hot_edge);
 *		STN_SWEEPS(grid, 500, average);
 *		printf("%.10g\n", STN_SUM(grid, heat));
 *		return 0;
 *	}
 *
 * The rule: a kernel computes from the points that it may read and from its
 * arguments alone, and changes only the points that it is called for. If a
 * program keeps the rule, each point and each sum has the same bits on any
 * number of nodes, with any scheduler, wherever the parts are. The size of a
 * part follows from the grid alone. Another size may change the last bits of a
 * sum, but not a point.
 *
 * Threads: the calls are for the body of STN_MAIN, one at a time. A call
 * returns when all nodes have finished it; meanwhile the calling worker sweeps
 * parts as well. Kernels run on all workers of all nodes, at the same time.
 *
 * Errors: as in <sateen.h>. A grid that can't be made, or that needs more memory
 * than there is, ends the run with one line on stderr before anything is swept.
 */
#ifndef STN_SATEEN_PARTS_H
#define STN_SATEEN_PARTS_H

#include "sateen.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A grid. The runtime owns it. */
struct stn_parts;

/*
 * STN_GRID(type, rows, columns, options...), STN_GRID_3D(type, planes, rows,
 * columns, options...): makes a grid with elements of @type, any complete type
 * without pointers. Its value is a struct stn_parts *. The contents are
 * undefined until STN_FILL. Options, with designated initialisers (C++20: in this
 * order, and a variable needs a cast to uint32_t):
 *
 * .halo     how far a kernel looks from a point, in each direction. Default 0.
 * .copies   2 (default with a halo and no colours): a sweep reads the values of the sweep
 *     before from at->from and writes at->to. 1: a sweep changes the points in
 *     place; the halo must be 0, or colours 2.
 * .colours  2: the grid is a checkerboard. A sweep first calls the kernel for
 *     the red points (plane + row + column is even) and then for the black ones.
 *     The points of one colour lie side by side in memory: see STN_SHIFT. The
 *     number of columns must be even; in a periodic grid all numbers.
 * .block    STN_SWEEPS does up to so many sweeps of a part before it needs its
 *     neighbours again. 0 (default): the runtime decides. A part has a halo for
 *     all sweeps of a block, and computes some points of its neighbours.
 * .part_planes, .part_rows, .part_columns  size of a part; default: parts of
 *     some 256 KiB, or 2 MiB in three dimensions
 * .star     the kernel looks only along the axes, not diagonally
 * .periodic the grid has no edge: behind the last row comes the first. If it is
 *     not set, the points outside of the grid, up to the halo's width, have the
 *     values that STN_FILL has given to them.
 *
 * STN_GRID_FREE(grid): frees a grid on all nodes. The end of the run does, too.
 */
#ifdef __cplusplus
#define STN_ZERO_ = 0
#else
#define STN_ZERO_
#endif
struct stn_grid {
	uint64_t planes STN_ZERO_, rows STN_ZERO_, columns STN_ZERO_;
	uint32_t element STN_ZERO_; /* bytes */
	uint32_t halo STN_ZERO_, copies STN_ZERO_, colours STN_ZERO_;
	uint32_t block STN_ZERO_, part_planes STN_ZERO_, part_rows STN_ZERO_;
	uint32_t part_columns STN_ZERO_;
	bool star STN_ZERO_, periodic STN_ZERO_;
};
#define STN_GRID_3D(type, planes_, rows_, columns_, ...)                       \
	stn_parts_create(stn_frame, STN_LITERAL_(stn_grid){                    \
					    .planes = (uint64_t)(planes_),     \
					    .rows = (uint64_t)(rows_),         \
					    .columns = (uint64_t)(columns_),   \
					    .element = sizeof(type)            \
						    __VA_OPT__(, )             \
							    __VA_ARGS__ })
#define STN_GRID(type, rows_, columns_, ...)                                   \
	STN_GRID_3D(type, 0, rows_, columns_ __VA_OPT__(, ) __VA_ARGS__)
#define STN_GRID_FREE(grid) stn_parts_free(stn_frame, grid)

struct stn_parts *stn_parts_create(struct stn_frame *frame,
				   struct stn_grid grid);
void stn_parts_free(struct stn_frame *frame, struct stn_parts *parts);

/*
 * STN_KERNEL(name, element, type, argument, ...) { body }
 *
 * Declares and defines a kernel that is static to its file, for grids of
 * @element, with any number of arguments, as a task's (<sateen.h>), but no
 * buffers. Kernels are identified by name and types, as tasks are, and share
 * their names. The body sees @at, which says for which points it is called:
 * a box of at->planes x at->rows x at->columns points (a grid of two dimensions
 * has one plane). The body changes these points, each once.
 *
 * at->to, at->from    the first point: of the values to write, and of those to
 *     read. They are equal if the grid has one copy; with colours, at->to are
 *     the points of one colour and at->from those of the other.
 * at->stride, at->plane_stride  elements from a row, or plane, to the next
 * at->columns  with colours: the number of points of one colour in a row
 * at->plane, at->row, at->column  coordinates of the first point in the grid.
 *     Below 0 or beyond the grid's size: points outside of the grid, which
 *     STN_FILL sets; in a periodic grid all boxes may go beyond its edge, and
 *     STN_WRAP gives the coordinate inside.
 *
 * STN_MEASURE(name, element, type, argument, ...) { body }: the same for
 * STN_SUM and STN_MAX: the body changes nothing, and returns a double for its
 * box. It reads at->from, and with colours both at->from (black) and at->to
 * (red). STN_SHIFT is that of the red points; of the black ones it is 1 -
 * STN_SHIFT.
 */
#define STN_KERNEL(name, element, ...)                                         \
	STN_KERNEL_TYPES_(name, element, __VA_ARGS__)                          \
	static void name##_body(                                               \
		const struct name##_at *at STN_PAIRS_(STN_PARAMETER_, _,       \
						      __VA_ARGS__));           \
	STN_KERNEL_OBJECT_(name, , "kernel of " #element, __VA_ARGS__)         \
	STN_KERNEL_CALL_(name, void, , sweep, __VA_ARGS__)                     \
	static void name##_body(                                               \
		__attribute__((unused)) const struct name##_at *at STN_PAIRS_( \
			STN_PARAMETER_, _, __VA_ARGS__))
#define STN_MEASURE(name, element, ...)                                        \
	STN_KERNEL_TYPES_(name, element, __VA_ARGS__)                          \
	static double name##_body(                                             \
		const struct name##_at *at STN_PAIRS_(STN_PARAMETER_, _,       \
						      __VA_ARGS__));           \
	STN_KERNEL_OBJECT_(name, stn_base->value =, "measure of " #element,    \
			   __VA_ARGS__)                                        \
	STN_KERNEL_CALL_(name, double, return, measure, __VA_ARGS__)           \
	static double name##_body(                                             \
		__attribute__((unused)) const struct name##_at *at STN_PAIRS_( \
			STN_PARAMETER_, _, __VA_ARGS__))

/*
 * STN_SHIFT(at, plane, row): for grids with colours: point k of row @row of the
 * box is in column at->column + 2 k + STN_SHIFT(at, plane, row) of the grid.
 * Its neighbours to the left and to the right, which have the other colour, are
 * elements k - 1 + shift and k + shift of the same row of at->from; those above
 * and below are elements k of the rows before and behind.
 */
#define STN_SHIFT(at, plane_, row_)                                            \
	(((at)->parity + (plane_) + (row_)) & 1)

/*
 * STN_WRAP(coordinate, size): a coordinate that may lie beyond the edge of a
 * periodic grid, as one inside. Evaluates its arguments more than once.
 */
#define STN_WRAP(coordinate, size)                                             \
	((((coordinate) % (long)(size)) + (long)(size)) % (long)(size))

/*
 * STN_FILL(grid, kernel, arguments...): calls the kernel for all points of the
 * grid, and for the points outside of the grid up to the halo's width. It must
 * compute from coordinates and arguments alone, and does not read at->from.
 *
 * STN_SWEEPS(grid, count, kernel, arguments...): sweeps the grid @count times:
 * each sweep calls the kernel for all points inside the grid. There is no
 * barrier between sweeps: a part is swept as soon as its neighbours have been
 * swept as often. STN_SWEEP(grid, kernel, arguments...) sweeps once; many of
 * them are slower than one STN_SWEEPS. The kernel may be called for a few rows of
 * a part at a time.
 *
 * STN_SUM(grid, measure, arguments...), STN_MAX: the sum or the maximum of the
 * measure over all parts. The parts are combined in a fixed order. STN_MAX ignores
 * parts whose measure is NaN, unless all are NaN.
 */
#define STN_FILL(grid, kernel, ...)                                            \
	kernel##_sweep(stn_frame, grid, STN_PARTS_FILL,                        \
		       1 __VA_OPT__(, ) __VA_ARGS__)
#define STN_SWEEPS(grid, count, kernel, ...)                                   \
	kernel##_sweep(stn_frame, grid, STN_PARTS_SWEEPS,                      \
		       (uint64_t)(count)__VA_OPT__(, ) __VA_ARGS__)
#define STN_SWEEP(grid, kernel, ...)                                           \
	STN_SWEEPS(grid, 1, kernel __VA_OPT__(, ) __VA_ARGS__)
#define STN_SUM(grid, measure, ...)                                            \
	measure##_measure(stn_frame, grid, STN_PARTS_SUM,                      \
			  1 __VA_OPT__(, ) __VA_ARGS__)
#define STN_MAX(grid, measure, ...)                                            \
	measure##_measure(stn_frame, grid, STN_PARTS_MAX,                      \
			  1 __VA_OPT__(, ) __VA_ARGS__)

enum stn_parts_what {
	STN_PARTS_FILL,
	STN_PARTS_SWEEPS,
	STN_PARTS_SUM,
	STN_PARTS_MAX
};

/*
 * The box that a kernel is called for; struct NAME_at of a kernel is the same
 * with pointers of its type.
 */
struct stn_at {
	void *to;
	const void *from;
	long planes, rows, columns;
	long plane_stride, stride;
	long plane, row, column;
	int parity;   /* see STN_SHIFT */
	double value; /* of a measure */
};

/*
 * stn_parts_sweep, stn_parts_measure: what STN_FILL and the others call. @task
 * describes the kernel, @element is the size of its elements, and @arguments are
 * its arguments, as a structure.
 */
void stn_parts_sweep(struct stn_frame *frame, struct stn_parts *parts,
		     enum stn_parts_what what, uint64_t count,
		     const struct stn_task *task, uint32_t element,
		     const void *arguments);
double stn_parts_measure(struct stn_frame *frame, struct stn_parts *parts,
			 enum stn_parts_what what, uint64_t count,
			 const struct stn_task *task, uint32_t element,
			 const void *arguments);

/* clang-format off */
#define STN_KERNEL_TYPES_(name, element, ...)                                  \
	struct __attribute__((may_alias)) name##_arguments {                   \
		STN_PAIRS_(STN_MEMBER_, _, __VA_ARGS__)                        \
	};                                                                     \
	STN_PAIRS_(STN_CHECK_, name, __VA_ARGS__)                              \
	STN_STATIC_ASSERT_(                                                    \
		(0 __VA_OPT__(+sizeof(struct name##_arguments))) <=            \
			STN_ARGUMENT_BYTES,                                    \
		"the arguments of kernel " #name " take too many bytes");      \
	struct name##_at {                                                     \
		element *to;                                                   \
		const element *from;                                           \
		long planes, rows, columns;                                    \
		long plane_stride, stride;                                     \
		long plane, row, column;                                       \
		int parity;                                                    \
	};

/*
 * A kernel is a task whose result place is the struct stn_at that it is called
 * for.
 */
#define STN_KERNEL_OBJECT_(name, value_is, kind, ...)                          \
	static const struct stn_argument name##_describe[] = {                 \
		STN_PAIRS_(STN_DESCRIBE_, name##_arguments, __VA_ARGS__)       \
		{ NULL, 0, 0, STN_ARGUMENT_SCALAR },                           \
	};                                                                     \
	static void name##_run(struct stn_deque *stn_d,                        \
			       const struct stn_record *stn_r,                 \
			       struct stn_record *stn_head, void *stn_place)   \
	{                                                                      \
		const struct name##_arguments *stn_a =                         \
			(const struct name##_arguments *)stn_r->arguments;     \
		struct stn_at *stn_base = (struct stn_at *)stn_place;          \
		struct name##_at stn_typed;                                    \
                                                                               \
		(void)stn_d;                                                   \
		(void)stn_a;                                                   \
		(void)stn_head;                                                \
		memcpy(&stn_typed, stn_base, sizeof(stn_typed));               \
		value_is name##_body(&stn_typed STN_PAIRS_(STN_LOAD_, _,       \
							   __VA_ARGS__));      \
	}                                                                      \
	static const struct stn_task name##_task = {                           \
		#name,                                                         \
		kind,                                                          \
		name##_run,                                                    \
		name##_describe,                                               \
		0 STN_PAIRS_(STN_COUNT_, _, __VA_ARGS__),                      \
		0 __VA_OPT__(+sizeof(struct name##_arguments)),                \
		0,                                                             \
	};                                                                     \
	static struct stn_task_entry name##_entry = { &name##_task, NULL };    \
	static __attribute__((constructor)) void name##_register(void)         \
	{                                                                      \
		stn_task_register(&name##_entry);                              \
	}

#define STN_KERNEL_CALL_(name, result, return_, verb, ...)                     \
	static inline __attribute__((unused)) result name##_##verb(            \
		struct stn_frame *stn_f, struct stn_parts *stn_p,              \
		enum stn_parts_what stn_w,                                     \
		uint64_t stn_c STN_PAIRS_(STN_PARAMETER_, _, __VA_ARGS__))     \
	{                                                                      \
		const struct name##_arguments stn_a = { STN_PAIRS_(            \
			STN_STORE_, _, __VA_ARGS__) };                         \
                                                                               \
		return_ stn_parts_##verb(                                      \
			stn_f, stn_p, stn_w, stn_c, &name##_task,              \
			sizeof(*((struct name##_at *)0)->to), &stn_a);         \
	}
/* clang-format on */

#ifdef __cplusplus
}
#endif

#endif
