#include "parts/hector/share.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emul/speeds.h"

#define WORKS                                                                  \
	0.02 /* a node works if its threads want so much of their time         \
	      */
#define LINE_BYTES 512

enum stn_err
stn_share_init(struct stn_share *share, uint32_t workers)
{
	share->threads = calloc(workers, sizeof(share->threads[0]));
	CPU_ZERO(&share->cores);
	share->idle = 1;
	return share->threads ? STN_OK : STN_NO_MEMORY;
}

void
stn_share_fini(struct stn_share *share)
{
	free(share->threads);
}

void
stn_share_enter(struct stn_share *share, uint32_t worker)
{
	cpu_set_t cores;

	share->threads[worker].id = gettid();
	if (!sched_getaffinity(0, sizeof(cores), &cores))
		CPU_OR(&share->cores, &share->cores, &cores);
}

/* Adds how long the thread ran and waited since the last call. */
static void
add_times(struct stn_share_thread *thread, double *ran, double *waited)
{
	char path[64];
	uint64_t ran_ns, waited_ns;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat",
		 (int)thread->id);
	file = thread->id ? fopen(path, "re") : NULL;
	if (!file)
		return;
	if (fscanf(file, "%" SCNu64 " %" SCNu64, &ran_ns, &waited_ns) == 2) {
		*ran += (double)(ran_ns - thread->ran_ns);
		*waited += (double)(waited_ns - thread->waited_ns);
		thread->ran_ns = ran_ns;
		thread->waited_ns = waited_ns;
	}
	fclose(file);
}

/* A line of /proc/stat about a core, such as "cpu3 10 0 4 70 1 0 0 0 0 0". */
static void
add_core(const char *line, const cpu_set_t *cores, uint64_t *busy,
	 uint64_t *total)
{
	uint64_t t[8];
	unsigned core;

	if (sscanf(line,
		   "cpu%u %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
		   &core, &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6],
		   &t[7]) != 9 ||
	    core >= CPU_SETSIZE || !CPU_ISSET(core, cores))
		return;
	for (int i = 0; i < 8; i++) {
		*total += t[i];
		if (i != 3 && i != 4) /* idle, and waiting for a disk */
			*busy += t[i];
	}
}

/*
 * The share of the cores' time in which they were idle, since the last call; as
 * it was then, if the kernel has not counted anew since.
 */
static double
idle_share(struct stn_share *share)
{
	FILE *file = fopen("/proc/stat", "re");
	uint64_t busy = 0, total = 0;
	char line[LINE_BYTES];
	double idle;

	if (!file)
		return share->idle;
	while (fgets(line, sizeof(line), file))
		add_core(line, &share->cores, &busy, &total);
	fclose(file);
	if (total > share->total && busy >= share->busy) {
		idle = 1 - (double)(busy - share->busy) /
				   (double)(total - share->total);
		share->idle = idle > 0 ? idle : 0;
	}
	share->busy = busy;
	share->total = total;
	return share->idle;
}

double
stn_share_take(struct stn_share *share, const struct stn_node *node)
{
	double ran = 0, waited = 0, idle;
	uint64_t ticks = share->total;

	if (node->sim)
		return stn_speed_share(node->start.speed, stn_node_now(node));
	for (uint32_t i = 0; i < node->worker_count; i++)
		add_times(&share->threads[i], &ran, &waited);
	idle = idle_share(share);
	/* A tick is 10 ms everywhere where Sateen runs. */
	ticks = share->total - ticks;
	if (!(ran + waited > WORKS * (double)ticks * 1e7))
		return idle;
	return ran / (ran + waited);
}
