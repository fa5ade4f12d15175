/*
 * sateen_cells.h: records with places in space (particles, say), which are
 * distributed over the nodes of a run by the cells of an octree.
 *
 * The records of an array of cells are cut into parts by an octree over the
 * cube that contains all records: a cell with too many records is cut into
 * eight. A part has the records of a cell that is not cut. Parts are numbered
 * in Morton order, and move from node to node as parts of grids do
 * (<sateen_parts.h>). A program
 * writes what is done with the records of a part, and which other cells a cell
 * needs; it packs and sends nothing:
 *
 *	#include <stdio.h>
 *	#include <sateen_cells.h>
 *
 *	struct star {
 *		double at[3];
 *		long neighbours;
 *	};
 *
 *	STN_CELLS_KERNEL(scatter, struct star)
 *	{
 *		for (long i = 0; i < at->count; i++) {
 *			const long n = at->first + i;
 *
 *			at->records[i].at[0] = (double)(n % 10);
 *			at->records[i].at[1] = (double)(n / 10 % 10);
 *			at->records[i].at[2] = (double)(n / 100);
 *		}
 *	}
 *
 *	STN_REACH(within, double, radius)
 *	{
 *		for (int d = 0; d < 3; d++)
 *			if (other->low[d] - radius > mine->low[d] + mine->width ||
 *			    other->low[d] + other->width + radius < mine->low[d])
 *				return STN_REACH_SKIP;
 *		return STN_REACH_OPEN;
 *	}
 *
 *	static long
 *	count_around(const struct star *star, const struct star *others,
 *		     long count, double radius)
 *	{
 *		long found = 0;
 *
 *		for (long i = 0; i < count; i++) {
 *			double x = others[i].at[0] - star->at[0];
 *			double y = others[i].at[1] - star->at[1];
 *			double z = others[i].at[2] - star->at[2];
 *
 *			found += x * x + y * y + z * z <= radius * radius;
 *		}
 *		return found;
 *	}
 *
 *	STN_CELLS_KERNEL(count, struct star, double, radius)
 *	{
 *		for (long i = 0; i < at->count; i++) {
 *			struct star *star = &at->records[i];
 *
 *			star->neighbours = count_around(star, at->records,
 *							at->count, radius);
 *			for (long j = 0; j < at->near_count; j++)
 *				star->neighbours += count_around(
 *					star, at->near[j].records,
 *					at->near[j].count, radius);
 *		}
 *	}
 *
 *	STN_CELLS_MEASURE(neighbours, struct star)
 *	{
 *		double sum = 0;
 *
 *		for (long i = 0; i < at->count; i++)
 *			sum += (double)at->records[i].neighbours;
 *		return sum;
 *	}
 *
 *	STN_MAIN(argc, argv)
 *	{
 *		struct stn_parts *stars = STN_CELLS(struct star, 1000,
 *			.place = offsetof(struct star, at), .most = 100);
 *
 *		STN_CELLS_FILL(stars, scatter);
 *		STN_CELLS_REACH(stars, within, count, 1.0);
 *		printf("%.10g\n", STN_CELLS_SUM(stars, neighbours));
 *		return 0;
 *	}
 *
 * The rule: a kernel computes from what it may read and from its arguments
 * alone, and changes only the records that it is called for. If a program keeps
 * the rule, each record and each sum has the same bits on any number of nodes,
 * with any scheduler, wherever the parts are. How the records are cut into
 * parts, and their order in a part, follow from the records and the options
 * alone. Records with equal keys are in the order of their indices. A record's
 * index is its number in STN_CELLS_FILL or STN_CELLS_PUT, and never changes.
 *
 * An edge of the cube of all records is w long, the largest of the extents of
 * the records' places in the three directions (1 if all are 0). The cube's
 * middle is, in each direction, the middle between the lowest and the highest
 * coordinate. With the option .across = n, w is 2^l / n times as large, where l
 * is the least level with n cells or more along an edge; the lowest corner
 * stays. At the deepest level, a record at x belongs to cell
 * (x - low) * (2^21 / w), rounded down, in each direction. The record's key has
 * the bits of the three numbers in turn, those of the first direction lowest,
 * and the records of a part are in the order of their keys.
 *
 * Threads, tasks and handles: as grids. STN_HANDLE, STN_GRID_OF and
 * STN_GRID_FREE of <sateen_parts.h> take arrays of cells, too, and so does
 * STN_RESUMED, which counts STN_CELLS_SWEEP and STN_CELLS_REACH; the other
 * calls there do not.
 *
 * Deaths: nodes may die, leave and join while a program uses cells, as with
 * grids. The records are copied to other nodes from time to time. After a death
 * all parts return to the last version of which all parts were copied, and the
 * sweeps, cuts and summaries since then are repeated. If node 0 dies or leaves,
 * the body of STN_MAIN runs again on another node. Its calls that were finished
 * return at once; but an array is computed again from its beginning if the body
 * has called STN_CELLS_GET and then changed records. The body must call kernels
 * with the same bytes of arguments again; so arguments that are structures must
 * not have padding with undefined bytes. The caller's node keeps the records of
 * STN_CELLS_PUT, too, until all parts have been copied. For tasks that use
 * arrays see <sateen_parts.h>.
 *
 * Disk: with --keep and --resume, cells that the body of STN_MAIN has made
 * outlive the loss of all processes, as grids do, up to the first
 * STN_CELLS_GET.
 *
 * Errors: as in <sateen_parts.h>.
 *
 * Limits: a simulation with --cost hollow, in which grids have no data, carries
 * out the kernels of cells nevertheless. All nodes get the brief summaries of
 * all cells that are cut further, so each node needs memory for them.
 */
#ifndef STN_SATEEN_CELLS_H
#define STN_SATEEN_CELLS_H

#include "sateen_cells_kernel.h"
#include "sateen_parts.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A cell of the octree: a cube. */
struct stn_cell {
	int level;	/* 0: the cube of all records; at most 21 */
	uint32_t at[3]; /* its place among those of its level, x first: from 0
			 * to 2^level - 1 */
	double low[3];	/* its corner with the lowest coordinates */
	double width;
};

/*
 * STN_CELLS(type, count, options...): makes an array of @count records of
 * @type, any complete type without pointers, of up to 16 MiB. Its value is a
 * struct stn_parts *. The first call for it must be STN_CELLS_FILL or
 * STN_CELLS_PUT. Options:
 *
 * .place  offset in bytes, a multiple of 8, of the record's place in @type:
 *     three doubles, x, y and z. Default 0.
 * .most   how many records a part has at most. Default 4096.
 * .brief  bytes of a summary that any cell may need of a cell (STN_SUMMARISE),
 *     up to 16 MiB
 * .summaries  true: kernels see the summaries of near parts, but not their
 *     records, which then need not be sent
 * .across  n, up to 1024: the cube is enlarged so that n cells of one level lie
 *     along the extent of the records; without the option, the number of cells
 *     of a level there is a power of two
 *
 * A part at the deepest level, 21, that would have more than @most records is
 * cut by the indices of its records instead of their places: then several parts
 * have the same cell.
 */
struct stn_cells_options {
	uint64_t records STN_ZERO_;
	uint32_t record STN_ZERO_; /* bytes */
	uint32_t place STN_ZERO_, most STN_ZERO_, brief STN_ZERO_;
	uint32_t across STN_ZERO_;
	bool summaries STN_ZERO_;
};
#define STN_CELLS(type, count_, ...)                                           \
	stn_cells_create(stn_frame,                                            \
			 STN_LITERAL_(stn_cells_options){                      \
				 .records = (uint64_t)(count_),                \
				 .record = sizeof(type) __VA_OPT__(, )         \
					 __VA_ARGS__ })
struct stn_parts *stn_cells_create(struct stn_frame *frame,
				   struct stn_cells_options options);

/* What a kernel sees of another part, which its reach has opened. */
struct stn_near {
	struct stn_cell cell;
	uint32_t part;
	const void *records; /* NULL with the option .summaries */
	long count;	     /* of records, even if @records is NULL */
	const void *summary; /* the whole; NULL: there is none */
	size_t summary_bytes;
};

/* What a kernel sees of a cell of which its reach takes the summary. */
struct stn_far {
	struct stn_cell cell;
	const void *brief; /* NULL: there are no summaries */
};

/* What a kernel is called for: a part. NAME_at is the same with its type. */
struct stn_cells_at {
	void *records;
	const uint64_t *indices; /* of the records */
	const struct stn_near *near;
	const struct stn_far *far;
	long count, first, part;
	long near_count, far_count;
	struct stn_cell cell, whole;
	const void *summary;
	size_t summary_bytes;
	uint64_t work;
	double value;			/* of a measure */
	struct stn_cells_inside *inside; /* the runtime's */
};

/*
 * STN_CELLS_KERNEL(name, type, argument type, argument, ...) { body }
 *
 * Declares and defines a kernel that is static to its file, for records of
 * @type, with any number of arguments, of up to 80 bytes. Kernels are
 * identified by name and types, as tasks are, and share their names. The body
 * sees @at:
 *
 * at->records, at->count  the records of the part, which it may change
 * at->indices  the index of each of them
 * at->first    in STN_CELLS_FILL: the index of the first record; the others
 *     have the next ones
 * at->part     the number of the part
 * at->cell, at->whole  the cell of the part, and the cube of all records; but
 *     not in STN_CELLS_FILL
 * at->near, at->near_count  the parts that the reach has opened, in Morton
 *     order: their cells, records and summaries
 * at->far, at->far_count  the cells whose brief summaries the reach takes, in
 *     Morton order
 * at->summary, at->summary_bytes  the summary of this part; NULL: none
 * at->work     the body sets it to the units of work that it has done, which a
 *     simulation with --cost counted counts. 0: a unit for each record.
 *
 * A kernel that has near parts changes only those members of its records that
 * no kernel of the same sweep reads in near parts, because a part and its near
 * parts are swept at the same time.
 *
 * STN_CELLS_MEASURE(name, type, ...) { body }: the same for STN_CELLS_SUM and
 * STN_CELLS_MAX: the body changes nothing, and returns a double for its part.
 */
#define STN_CELLS_KERNEL(name, type, ...)                                      \
	STN_CELLS_TYPES_(name, type, __VA_ARGS__)                              \
	static void name##_body(                                               \
		struct name##_at *at STN_PAIRS_(STN_PARAMETER_, _,             \
						__VA_ARGS__));                 \
	STN_CELLS_OBJECT_(name, struct name##_at, STN_NOTHING_,                \
			  "kernel of cells of " #type, __VA_ARGS__)            \
	STN_CELLS_CALL_(name, sizeof(*((struct name##_at *)0)->records),       \
			__VA_ARGS__)                                           \
	static void name##_body(                                               \
		__attribute__((unused)) struct name##_at *at STN_PAIRS_(       \
			STN_PARAMETER_, _, __VA_ARGS__))
#define STN_CELLS_MEASURE(name, type, ...)                                     \
	STN_CELLS_TYPES_(name, type, __VA_ARGS__)                              \
	static double name##_body(                                             \
		struct name##_at *at STN_PAIRS_(STN_PARAMETER_, _,             \
						__VA_ARGS__));                 \
	STN_CELLS_OBJECT_(name, struct name##_at, STN_VALUE_,                  \
			  "measure of cells of " #type, __VA_ARGS__)           \
	STN_CELLS_CALL_(name, sizeof(*((struct name##_at *)0)->records),       \
			__VA_ARGS__)                                           \
	static double name##_body(                                             \
		__attribute__((unused)) struct name##_at *at STN_PAIRS_(       \
			STN_PARAMETER_, _, __VA_ARGS__))

/*
 * STN_REACH(name, argument type, argument, ...) { body }
 *
 * A reach says what a part needs of the cells of the octree. The body sees
 * @mine, the cell of the part, and @other, a cell that neither is that part's
 * nor contains it; both are const struct stn_cell *. The body returns one of
 *
 * STN_REACH_SKIP  nothing of the other cell is needed
 * STN_REACH_TAKE  the brief summary of the other cell is needed
 * STN_REACH_OPEN  the reach is to be called for the children of the other cell
 *     instead. If the other cell is a part, its records and its summary are
 *     needed.
 * STN_REACH_BOTH  the brief summary of the other cell is needed, and what
 *     STN_REACH_OPEN says
 *
 * Any other value ends the run. A reach has the same arguments as the kernel
 * that it is used with, and computes from them and from the two cells alone.
 */
enum stn_reaches {
	STN_REACH_SKIP,
	STN_REACH_TAKE,
	STN_REACH_OPEN,
	STN_REACH_BOTH
};
struct stn_reach_at {
	struct stn_cell mine, other;
	int value;
};
#define STN_REACH(name, ...)                                                   \
	STN_CELLS_ARGUMENTS_(name, __VA_ARGS__)                                \
	static int name##_reach(                                               \
		const struct stn_cell *mine,                                   \
		const struct stn_cell *other STN_PAIRS_(STN_PARAMETER_, _,     \
							__VA_ARGS__));         \
	STN_INLINE_ int name##_body(                                           \
		struct stn_reach_at *at STN_PAIRS_(STN_PARAMETER_, _,          \
						   __VA_ARGS__))               \
	{                                                                      \
		return name##_reach(&at->mine,                                 \
				    &at->other STN_PAIRS_(STN_PASS_, _,        \
							  __VA_ARGS__));       \
	}                                                                      \
	STN_CELLS_OBJECT_(name, struct stn_reach_at, STN_VALUE_,               \
			  "reach of cells", __VA_ARGS__)                       \
	static int name##_reach(                                               \
		__attribute__((unused)) const struct stn_cell *mine,           \
		__attribute__((unused))                                        \
		const struct stn_cell *other STN_PAIRS_(STN_PARAMETER_, _,     \
							__VA_ARGS__))

/*
 * STN_COMBINE(name, argument type, argument, ...) { body }: makes the brief
 * summary of a cell out of those of its children, on the caller's node. It has
 * the same arguments as the kernel of the summaries.
 *
 * at->cell   the cell
 * at->child, at->count  its children, in Morton order: their cells and briefs;
 *     cells without records are left out. If several parts have the deepest
 *     cell, the child may be the cell itself.
 * at->brief  the summary, zeroed
 */
struct stn_combine_at {
	struct stn_cell cell;
	const struct stn_far *child;
	long count;
	void *brief;
	uint64_t work; /* as a kernel's */
};
#define STN_COMBINE(name, ...)                                                 \
	STN_CELLS_ARGUMENTS_(name, __VA_ARGS__)                                \
	static void name##_body(                                               \
		struct stn_combine_at *at STN_PAIRS_(STN_PARAMETER_, _,        \
						     __VA_ARGS__));            \
	STN_CELLS_OBJECT_(name, struct stn_combine_at, STN_NOTHING_,           \
			  "combination of cells", __VA_ARGS__)                 \
	static void name##_body(                                               \
		__attribute__((unused))                                        \
		struct stn_combine_at *at STN_PAIRS_(STN_PARAMETER_, _,        \
						     __VA_ARGS__))

/*
 * STN_CELLS_FILL(cells, kernel, arguments...): the kernel writes all records,
 * from their indices and the arguments alone, and STN_CELLS_FILL cuts them into
 * parts, as STN_REHASH does. Once for an array, as its first call.
 *
 * STN_CELLS_PUT(cells, pointer): replaces all records by those in the caller's
 * memory, which are in the order of their indices, and cuts them into parts, as
 * STN_REHASH does. There may be 2^32 - 1 of them at most.
 *
 * STN_CELLS_GET(cells, first, count, pointer): copies the records with indices
 * @first to @first + @count - 1 to the caller's memory, in the order of their
 * indices. The caller's node needs memory for a second copy of them.
 *
 * STN_REHASH(cells): cuts the records into parts anew, after they have changed
 * their places. This removes all summaries. A place that is no finite number
 * ends the run with one line.
 *
 * STN_CELLS_SWEEP(cells, kernel, arguments...): calls the kernel for each part.
 * STN_CELLS_REACH(cells, reach, kernel, arguments...): the same, with the near
 * parts and far cells that the reach says.
 *
 * STN_SUMMARISE(cells, kernel, combine, arguments...): calls the kernel for
 * each part, to make its summary, in the memory that STN_ROOM gives. The first
 * bytes of the summary, as many as the array's option .brief, are the brief
 * summary. @combine makes the brief summaries of the larger cells. Summaries
 * last until the next STN_SUMMARISE, STN_REHASH or STN_CELLS_PUT.
 * STN_ROOM(at, bytes): only in that kernel, and once in a call of it: memory
 * for the summary, zeroed, and aligned to 64 bytes. The runtime owns it.
 *
 * STN_CELLS_SUM(cells, measure, arguments...), STN_CELLS_MAX: as STN_SUM and
 * STN_MAX.
 */
#define STN_CELLS_FILL(cells, kernel, ...)                                     \
	(kernel##_cells(stn_frame, cells, STN_PARTS_FILL,                      \
			NULL __VA_OPT__(, ) __VA_ARGS__),                      \
	 stn_cells_rehash(stn_frame, cells))
#define STN_CELLS_PUT(cells, pointer)                                          \
	stn_cells_put(stn_frame, cells, sizeof(*(pointer)), pointer)
#define STN_CELLS_GET(cells, first, count, pointer)                            \
	stn_cells_get(stn_frame, cells, (uint64_t)(first), (uint64_t)(count),  \
		      sizeof(*(pointer)), pointer)
#define STN_REHASH(cells) stn_cells_rehash(stn_frame, cells)
#define STN_CELLS_SWEEP(cells, kernel, ...)                                    \
	kernel##_cells(stn_frame, cells, STN_PARTS_SWEEPS,                     \
		       NULL __VA_OPT__(, ) __VA_ARGS__)
#define STN_CELLS_REACH(cells, reach, kernel, ...)                             \
	kernel##_cells(stn_frame, cells, STN_PARTS_SWEEPS,                     \
		       &reach##_task __VA_OPT__(, ) __VA_ARGS__)
#define STN_SUMMARISE(cells, kernel, combine, ...)                             \
	kernel##_cells(stn_frame, cells, STN_PARTS_SUMMARISE,                  \
		       &combine##_task __VA_OPT__(, ) __VA_ARGS__)
#define STN_CELLS_SUM(cells, measure, ...)                                     \
	measure##_cells(stn_frame, cells, STN_PARTS_SUM,                       \
			NULL __VA_OPT__(, ) __VA_ARGS__)
#define STN_CELLS_MAX(cells, measure, ...)                                     \
	measure##_cells(stn_frame, cells, STN_PARTS_MAX,                       \
			NULL __VA_OPT__(, ) __VA_ARGS__)
#define STN_ROOM(at, bytes)                                                    \
	stn_cells_room((struct stn_cells_at *)(at), (size_t)(bytes))
void stn_cells_rehash(struct stn_frame *frame, struct stn_parts *cells);
void stn_cells_put(struct stn_frame *frame, struct stn_parts *cells,
		   uint32_t record, const void *from);
void stn_cells_get(struct stn_frame *frame, struct stn_parts *cells,
		   uint64_t first, uint64_t count, uint32_t record, void *to);
void *stn_cells_room(struct stn_cells_at *at, size_t bytes);

/*
 * STN_ONCE(at, what, cell, bytes, make, argument): in a kernel: data that a
 * node computes once for each cell and uses in many parts, for example the
 * spectrum of a summary. Returns a const void * to @bytes bytes, aligned to 64,
 * which the runtime owns, until the sweep ends. @make writes them if no kernel
 * on this node has got them in this sweep; it must compute the same from any
 * part. @what, 0 to 7, is the number of this kind of data. Kernels that
 * need the same data at the same moment may each call @make, so @make
 * must be thread-safe.
 */
typedef void stn_cells_make(void *to, size_t bytes,
			    const struct stn_cell *cell, const void *argument);
#define STN_ONCE(at, what, cell, bytes, make, argument)                        \
	stn_cells_once((struct stn_cells_at *)(at), what, cell,                \
		       (size_t)(bytes), make, argument)
const void *stn_cells_once(struct stn_cells_at *at, uint32_t what,
			   const struct stn_cell *cell, size_t bytes,
			   stn_cells_make *make, const void *argument);

/*
 * stn_cells_run: what STN_CELLS_SWEEP and the others call. @task describes the
 * kernel, @other the reach or the combination, or is NULL; @arguments are those
 * of both.
 */
double stn_cells_run(struct stn_frame *frame, struct stn_parts *cells,
		     enum stn_parts_what what, const struct stn_task *task,
		     const struct stn_task *other, uint32_t record,
		     const void *arguments);

#ifdef __cplusplus
}
#endif

#endif
