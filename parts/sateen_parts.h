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
 * Threads: the calls are for STN_MAIN's body and for tasks on any node. Tasks
 * may use different grids at the same time, but a grid is used by one task at a
 * time: two at once end the run with one line. A call returns when all nodes
 * have finished it; meanwhile the calling worker sweeps parts as well. Kernels
 * run on all workers of all nodes, at the same time.
 *
 * Tasks: the address of a grid means nothing on another node. Its handle, a
 * uint64_t, may be an argument or a result of a task:
 *
 *	STN_TASK_VOID(sweep, uint64_t, handle, long, count)
 *	{
 *		STN_SWEEPS(STN_GRID_OF(handle), count, average);
 *	}
 *
 * A task that another node has stolen sees the grid itself, not a copy.
 *
 * Nodes may die, leave and join (docs/guides/parts.md). If node 0 is gone, the
 * body of STN_MAIN runs again on another node. It must make the same calls with
 * the same arguments as before; those that were finished are not carried out
 * again. A grid whose points it has got by STN_GET is computed again. A task
 * that is lost with its node runs again, and makes its grids again. If a task
 * has used a grid that another task, or the body of STN_MAIN, has made, the run
 * ends with one line when a node dies, or when that task's node or node 0
 * leaves. The run also ends with one line if a node dies after STN_READ, but
 * before all parts of that grid have been copied.
 *
 * With --keep and --resume, grids that the body of STN_MAIN has made outlive
 * the loss of all processes (sateen-run(1)). A run with one of these options
 * ends with one line if a task gets a grid by its handle (STN_GRID_OF).
 *
 * Errors: as in <sateen.h>: no call returns an error; an error ends the run
 * with one line on stderr. A grid that can't be made, or that needs more memory
 * than there is, ends the run before anything is swept. With --cost hollow,
 * where grids have no data, STN_SUM and STN_MAX are 0, and STN_WRITE, STN_READ
 * and STN_GET end the run.
 */
#ifndef STN_SATEEN_PARTS_H
#define STN_SATEEN_PARTS_H

#include "sateen.h"
#include "sateen_kernel.h"

/* The type of an element, if files may have numbers of that type. */
enum stn_number {
	STN_NO_NUMBER,
	STN_INT8,
	STN_UINT8,
	STN_INT16,
	STN_UINT16,
	STN_INT32,
	STN_UINT32,
	STN_INT64,
	STN_UINT64,
	STN_FLOAT,
	STN_DOUBLE
};
#define STN_INTEGER_(type)                                                     \
	((sizeof(type) == 1   ? STN_INT8                                       \
	  : sizeof(type) == 2 ? STN_INT16                                      \
	  : sizeof(type) == 4 ? STN_INT32                                      \
			      : STN_INT64) +                                   \
	 ((type)-1 > (type)1))
#ifdef __cplusplus
template <class type> constexpr uint32_t
stn_number_of(const type *)
{
	return STN_NO_NUMBER;
}
#define STN_NUMBER_(type, number)                                              \
	constexpr uint32_t stn_number_of(const type *)                         \
	{                                                                      \
		return (uint32_t)(number);                                     \
	}
#define STN_NUMBER_OF_(type) stn_number_of((type *)0)
STN_NUMBER_(float, STN_FLOAT)
STN_NUMBER_(double, STN_DOUBLE)
STN_NUMBER_(char, STN_INTEGER_(char))
STN_NUMBER_(signed char, STN_INTEGER_(signed char))
STN_NUMBER_(unsigned char, STN_INTEGER_(unsigned char))
STN_NUMBER_(short, STN_INTEGER_(short))
STN_NUMBER_(unsigned short, STN_INTEGER_(unsigned short))
STN_NUMBER_(int, STN_INTEGER_(int))
STN_NUMBER_(unsigned, STN_INTEGER_(unsigned))
STN_NUMBER_(long, STN_INTEGER_(long))
STN_NUMBER_(unsigned long, STN_INTEGER_(unsigned long))
STN_NUMBER_(long long, STN_INTEGER_(long long))
STN_NUMBER_(unsigned long long, STN_INTEGER_(unsigned long long))
#undef STN_NUMBER_
#else
#define STN_NUMBER_(type) type : STN_INTEGER_(type)
#define STN_NUMBER_OF_(type)                                                   \
	_Generic(*(type *)0, float: STN_FLOAT, double: STN_DOUBLE,             \
		 STN_NUMBER_(char), STN_NUMBER_(signed char),                  \
		 STN_NUMBER_(unsigned char), STN_NUMBER_(short),               \
		 STN_NUMBER_(unsigned short), STN_NUMBER_(int),                \
		 STN_NUMBER_(unsigned), STN_NUMBER_(long),                     \
		 STN_NUMBER_(unsigned long), STN_NUMBER_(long long),           \
		 STN_NUMBER_(unsigned long long), default: STN_NO_NUMBER)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A grid. The runtime owns it. */
struct stn_parts;

/*
 * STN_GRID(type, rows, columns, options...), STN_GRID_3D(type, planes, rows,
 * columns, options...): makes a grid with elements of @type, any complete type
 * without pointers. Its value is a struct stn_parts *. The contents are
 * undefined until STN_FILL. Options, with designated initialisers (C++20: in
 * this order, and a variable needs a cast to uint32_t):
 *
 * .halo     how far a kernel looks from a point, in points, in each direction;
 *     at most 1024. Default 0.
 * .copies   2 (default with a halo and no colours): a sweep reads the values of
 *     the sweep before from at->from and writes at->to. 1: a sweep changes the
 *     points in place; the halo must be 0, or colours 2.
 * .colours  2: the grid is a checkerboard. A sweep first calls the kernel for
 *     the red points (plane + row + column is even) and then for the black
 *     ones. The points of one colour lie side by side in memory: see STN_SHIFT.
 *     The number of columns must be even; in a periodic grid all numbers.
 * .block    how many sweeps of a part STN_SWEEPS may do before the part needs
 *     points of its neighbours again, at most 1024. 0 (default): the runtime
 *     decides. A part has a halo for all sweeps of a block, and computes some
 *     points of its neighbours.
 * .part_planes, .part_rows, .part_columns  size of a part, in points; default:
 *     parts of about 256 KiB, or 2 MiB in three dimensions
 * .star     the kernel looks only along the axes, not diagonally
 * .periodic the grid has no edge: behind the last row comes the first. If it is
 *     not set, the points outside of the grid, up to the halo's width, have the
 *     values that STN_FILL has given to them, or STN_BOUNDARY computes them.
 * .progress STN_SWEEPS reports each point of each sweep as a unit of work that
 *     is done, as by STN_PROGRESS(1, 0); default: off. With two colours, too, a
 *     point counts once in a sweep. Sweeps that are repeated after a death are
 *     reported again. Before the sweeps the program tells all units, for
 *     example by STN_PROGRESS(0, rows * columns * sweeps). Costs an addition
 *     per block. Only for grids, not for cells.
 *
 * STN_GRID_FREE(grid): frees a grid on all nodes. A later call with the grid
 * ends the run with one line. The end of the run frees all grids.
 *
 * STN_HANDLE(grid): the grid's handle, which may be used on any node until the
 * grid is freed. STN_GRID_OF(handle): the grid, as a struct stn_parts * of this
 * node. Neither waits for another node.
 */
#ifdef __cplusplus
#define STN_ZERO_ = 0
#else
#define STN_ZERO_
#endif
struct stn_grid {
	uint64_t planes STN_ZERO_, rows STN_ZERO_, columns STN_ZERO_;
	uint32_t element STN_ZERO_; /* bytes */
	uint32_t number STN_ZERO_;  /* enum stn_number */
	uint32_t halo STN_ZERO_, copies STN_ZERO_, colours STN_ZERO_;
	uint32_t block STN_ZERO_, part_planes STN_ZERO_, part_rows STN_ZERO_;
	uint32_t part_columns STN_ZERO_;
	bool star STN_ZERO_, periodic STN_ZERO_, progress STN_ZERO_;
};
#define STN_GRID_3D(type, planes_, rows_, columns_, ...)                       \
	stn_parts_create(stn_frame, STN_LITERAL_(stn_grid){                    \
					    .planes = (uint64_t)(planes_),     \
					    .rows = (uint64_t)(rows_),         \
					    .columns = (uint64_t)(columns_),   \
					    .element = sizeof(type),           \
					    .number = STN_NUMBER_OF_(type)     \
						    __VA_OPT__(, )             \
							    __VA_ARGS__ })
#define STN_GRID(type, rows_, columns_, ...)                                   \
	STN_GRID_3D(type, 0, rows_, columns_ __VA_OPT__(, ) __VA_ARGS__)
#define STN_GRID_FREE(grid) stn_parts_free(stn_frame, grid)
#define STN_HANDLE(grid) stn_parts_handle(grid)
#define STN_GRID_OF(handle) stn_parts_find(stn_frame, handle)

struct stn_parts *stn_parts_create(struct stn_frame *frame,
				   struct stn_grid grid);
void stn_parts_free(struct stn_frame *frame, struct stn_parts *parts);
uint64_t stn_parts_handle(const struct stn_parts *parts);
struct stn_parts *stn_parts_find(struct stn_frame *frame, uint64_t handle);

/*
 * STN_KERNEL(name, element, type, argument, ...) { body }
 *
 * Declares and defines a kernel that is static to its file, for grids of
 * @element, with any number of arguments, of up to 88 bytes. They are like a
 * task's (<sateen.h>), but no buffers, bounds or constants. Kernels are
 * identified by name and types, as tasks are, so a kernel and a task can't have
 * the same name. The body sees @at, which says for which points it is called: a
 * box of at->planes x at->rows x at->columns points (a grid of two dimensions
 * has one plane). The body changes these points, each once.
 *
 * at->to, at->from    the first point: of the values to write, and of those to
 *     read. They are equal if the grid has one copy; with colours, at->to are
 *     the points of one colour and at->from those of the other.
 * at->stride, at->plane_stride  elements from a row, or plane, to the next
 * at->columns  with colours: the number of points of one colour in a row
 * at->colours  of the grid, 1 or 2
 * at->plane, at->row, at->column  coordinates of the first point in the grid.
 *     Coordinates below 0, or not below the grid's size, are those of points
 *     outside of the grid, for which STN_FILL and STN_BOUNDARY call kernels; in
 *     a periodic grid all boxes may go beyond its edge, and STN_WRAP gives the
 *     coordinate inside.
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
 * STN_POINT(at, plane, row, column): the address of the point with these
 * coordinates in the grid, to read it, in grids with and without colours. It
 * may evaluate its arguments twice.
 */
#define STN_POINT(at, plane_, row_, column_)                                   \
	(((at)->colours == 2 &&                                                \
			  (((column_) - (at)->column) & 1) ==                  \
				  STN_SHIFT(at, (plane_) - (at)->plane,        \
					    (row_) - (at)->row)                \
		  ? (at)->to                                                   \
		  : (at)->from) +                                              \
	 ((plane_) - (at)->plane) * (at)->plane_stride +                       \
	 ((row_) - (at)->row) * (at)->stride +                                 \
	 (((column_) - (at)->column) >> ((at)->colours - 1)))

/*
 * STN_WRAP(coordinate, size): a coordinate that may lie beyond the edge of a
 * periodic grid, as one inside. Evaluates its arguments more than once.
 */
#define STN_WRAP(coordinate, size)                                             \
	((((coordinate) % (long)(size)) + (long)(size)) % (long)(size))

/*
 * STN_INSIDE(coordinate, size): the coordinate of the nearest point inside of
 * the grid. Evaluates its arguments more than once.
 */
#define STN_INSIDE(coordinate, size)                                           \
	((coordinate) < 0	      ? 0L                                     \
	 : (coordinate) < (long)(size) ? (long)(coordinate)                    \
				       : (long)(size)-1)

/*
 * STN_FILL(grid, kernel, arguments...): calls the kernel for all points of the
 * grid, and for the points outside of the grid up to the halo's width. The
 * kernel must compute from coordinates and arguments alone, and not read
 * at->from.
 *
 * STN_SWEEPS(grid, count, kernel, arguments...): sweeps the grid @count times:
 * each sweep calls the kernel for all points inside the grid. With a @count of
 * 0 it does nothing; a negative one ends the run. There is no barrier between
 * sweeps: a part is swept as soon as its neighbours have been swept as often.
 * STN_SWEEP(grid, kernel, arguments...) sweeps once; many calls of STN_SWEEP
 * are slower than one of STN_SWEEPS. The kernel may be called for a few rows of
 * a part at a time.
 *
 * STN_BOUNDARY(grid, kernel, arguments...): the kernel computes the points
 * outside of the grid from now on: before each sweep (with colours, before each
 * half of it) and each measure, the runtime calls it for those of them that are
 * read. The kernel computes from coordinates, arguments and points inside of
 * the grid, which have been swept as often as all others. In a direction in
 * which a point is outside, it may read the halo's width + 1 points next to
 * that edge; in the other directions, points with the same coordinate. For
 * example, no heat flows through this edge:
 *
 *	STN_KERNEL(reflect, double, long, rows, long, columns)
 *	{
 *		for (long i = 0; i < at->rows; i++)
 *			for (long j = 0; j < at->columns; j++)
 *				at->to[i * at->stride + j] = *STN_POINT(
 *					at, 0, STN_INSIDE(at->row + i, rows),
 *					STN_INSIDE(at->column + j, columns));
 *	}
 *
 * STN_SUM(grid, measure, arguments...), STN_MAX: the sum or the maximum of the
 * measure over all parts. The parts are combined in a fixed order. STN_MAX
 * ignores parts whose measure is NaN, unless all are NaN.
 *
 * STN_RESUMED(grid): how many of the sweeps that the body of STN_MAIN has
 * called so far were on disk when the run was resumed (--resume), a uint64_t.
 * Calls whose sweeps were all on disk return at once, so the time since the
 * first call was spent on the sweeps that this number does not count. In a task
 * it is 0.
 */
#define STN_FILL(grid, kernel, ...)                                            \
	kernel##_sweep(stn_frame, grid, STN_PARTS_FILL,                        \
		       1 __VA_OPT__(, ) __VA_ARGS__)
#define STN_SWEEPS(grid, count, kernel, ...)                                   \
	kernel##_sweep(stn_frame, grid, STN_PARTS_SWEEPS,                      \
		       (uint64_t)(count)__VA_OPT__(, ) __VA_ARGS__)
#define STN_SWEEP(grid, kernel, ...)                                           \
	STN_SWEEPS(grid, 1, kernel __VA_OPT__(, ) __VA_ARGS__)
#define STN_BOUNDARY(grid, kernel, ...)                                        \
	kernel##_sweep(stn_frame, grid, STN_PARTS_BOUNDARY,                    \
		       1 __VA_OPT__(, ) __VA_ARGS__)
#define STN_SUM(grid, measure, ...)                                            \
	measure##_measure(stn_frame, grid, STN_PARTS_SUM,                      \
			  1 __VA_OPT__(, ) __VA_ARGS__)
#define STN_MAX(grid, measure, ...)                                            \
	measure##_measure(stn_frame, grid, STN_PARTS_MAX,                      \
			  1 __VA_OPT__(, ) __VA_ARGS__)

#define STN_RESUMED(grid) stn_parts_resumed(stn_frame, grid)

enum stn_parts_what {
	STN_PARTS_FILL,
	STN_PARTS_SWEEPS,
	STN_PARTS_SUM,
	STN_PARTS_MAX,
	STN_PARTS_BOUNDARY,
	STN_PARTS_SUMMARISE /* of cells: <sateen_cells.h> */
};

/*
 * STN_WRITE(grid, "file", "variable"): writes all points inside of the grid to
 * a file, as a variable of that name with the dimensions z, y and x, or y and
 * x. The format is netCDF (CDF-2, or CDF-5 for unsigned numbers and those of 64
 * bits), which ParaView, VisIt, ncview, Python and others open. A file of that
 * name is replaced when the new one is complete.
 *
 * STN_READ(grid, "file", "variable"): gives the points inside of the grid the
 * values of a variable of a netCDF file, of any of its formats. The variable
 * has the grid's size and type of number. The points outside of the grid keep
 * their values.
 *
 * STN_GET(grid, plane, pointer): copies the points of a plane (0 in a grid of
 * two dimensions), row by row, to the caller's memory, which has room for rows
 * x columns elements.
 *
 * The caller's node writes and reads the file, in a file system of that node,
 * and has some parts of the grid in memory at a time. Elements in files are of
 * type char, short, int, long, long long, signed or not, float or double. If
 * something is wrong with a file, or Sateen was built without netCDF, the run
 * ends with one line.
 */
#define STN_WRITE(grid, file, variable)                                        \
	stn_parts_write(stn_frame, grid, file, variable)
#define STN_READ(grid, file, variable)                                         \
	stn_parts_read(stn_frame, grid, file, variable)
#define STN_GET(grid, plane, pointer)                                          \
	stn_parts_get(stn_frame, grid, (uint64_t)(plane), sizeof(*(pointer)),  \
		      pointer)
void stn_parts_write(struct stn_frame *frame, struct stn_parts *parts,
		     const char *file, const char *variable);
void stn_parts_read(struct stn_frame *frame, struct stn_parts *parts,
		    const char *file, const char *variable);
void stn_parts_get(struct stn_frame *frame, struct stn_parts *parts,
		   uint64_t plane, uint32_t element, void *to);

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
	int colours;  /* of the grid: 1 or 2 */
	double value; /* of a measure */
};

/*
 * stn_parts_sweep: what STN_FILL, STN_SWEEPS and STN_BOUNDARY call;
 * stn_parts_measure: what STN_SUM and STN_MAX call. @count is the number of
 * sweeps, and 1 for the others. @task describes the kernel, @element is the
 * size of its elements in bytes, and @arguments are its arguments, as a
 * structure.
 */
void stn_parts_sweep(struct stn_frame *frame, struct stn_parts *parts,
		     enum stn_parts_what what, uint64_t count,
		     const struct stn_task *task, uint32_t element,
		     const void *arguments);
double stn_parts_measure(struct stn_frame *frame, struct stn_parts *parts,
			 enum stn_parts_what what, uint64_t count,
			 const struct stn_task *task, uint32_t element,
			 const void *arguments);
uint64_t stn_parts_resumed(struct stn_frame *frame,
			   const struct stn_parts *parts);

#ifdef __cplusplus
}
#endif

#endif
