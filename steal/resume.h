/*
 * resume.h: results of an earlier run of the program. With --resume, each node
 * maps all logs of a directory (keep_log.h) and has an index of the results in
 * memory. The index is constant, so any thread may look into it. The parts
 * service reads the logs of arrays (parts/survive/stored.h).
 *
 * To look up every spawn would cost a program of small tasks several times its
 * own time, and most calls of a program are too small to be in a log. So a
 * worker looks for a call in the index
 *
 *	when it runs a job, or a record of another worker;
 *	when it pops a record that was marked (keep.h), which has been there for
 *	a while, so it is likely to be large;
 *	when it spawns, but no more after STN_RESUME_LOOKS spawns without a hit,
 *	until the records are marked again.
 */
#ifndef STN_STEAL_RESUME_H
#define STN_STEAL_RESUME_H

#include "steal/keep_log.h"

struct stn_owner;
struct stn_record;
struct stn_steal;

#define STN_RESUME_LOOKS 300

/* A result in a mapped log. Without outputs: a free place of the index. */
struct stn_resume_result {
	struct stn_key key;
	const void *outputs;
	uint64_t size;
};

/* A file that is mapped. */
struct stn_resume_log {
	char *path;
	void *bytes;
	size_t size;
	bool of_array; /* of a version of an array, and not of results */
};

struct stn_resume {
	struct stn_resume_log *logs;
	size_t log_count, result_logs;
	struct stn_resume_result *results; /* by key */
	uint64_t mask;			   /* places of the index - 1 */
	uint64_t count;			   /* results */
	uint64_t cost_ns;		   /* that they took */
	unsigned char *filter;		   /* bits by hint, mask + 1 bytes */
};

/*
 * stn_resume_open: reads all logs in @directory. A directory that does not
 * exist has no logs.
 * @program  the program that the logs must be of
 * @tells    prints a line about each damaged log on stderr, and one about the
 *	     results found
 * Returns STN_OK; STN_INVALID if a log is of another program or version;
 * STN_IO; or STN_NO_MEMORY.
 */
STN_CHECKED enum stn_err stn_resume_open(const char *directory,
					 uint64_t program, bool tells,
					 struct stn_resume **resume_p,
					 struct stn_why *why);

/* stn_resume_close: @resume may be NULL. */
void stn_resume_close(struct stn_resume *resume);

/* stn_resume_remove: removes the logs that no node writes any more. */
void stn_resume_remove(const struct stn_resume *resume);

/* stn_resume_maybe: false if no result has that hint. */
static inline bool
stn_resume_maybe(const struct stn_resume *resume, uint32_t hint)
{
	return resume->filter[hint / 8 & resume->mask] >> hint % 8 & 1;
}

/* stn_resume_find: the result of the call with that key, or NULL. */
const struct stn_resume_result *stn_resume_find(const struct stn_resume *resume,
						struct stn_key key);

#endif
