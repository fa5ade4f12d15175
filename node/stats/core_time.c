#include "node/stats/core_time.h"

#include <inttypes.h>
#include <stdio.h>

void
stn_core_time_count(struct stn_times *times)
{
	/* "RUN WAITED SLICES", in ns: Documentation/scheduler/sched-stats.rst
	 */
	FILE *file = fopen("/proc/thread-self/schedstat", "re");
	uint64_t ran, waited;

	if (!file)
		return;
	if (fscanf(file, "%" SCNu64 " %" SCNu64, &ran, &waited) == 2) {
		times->on_core_ns = ran;
		times->core_wait_ns = waited;
	}
	fclose(file);
}
