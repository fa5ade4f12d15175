#include "steal/join/launched.h"

#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>

#include "transport/units.h"

/* The first that is there counts: launchers start each other. */
static const struct {
	const char *name, *rank, *size;
} launchers[] = {
	{ "a launcher with PMIx", "PMIX_RANK", NULL },
	{ "mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
	{ "a launcher with PMI", "PMI_RANK", "PMI_SIZE" },
	{ "srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS" },
};

/* The process's number on its host. */
static const char *const local[] = {
	"OMPI_COMM_WORLD_LOCAL_RANK",
	"MPI_LOCALRANKID",
	"SLURM_LOCALID",
};

#define LOCAL (sizeof(local) / sizeof(local[0]))
#define ELDERS_MS 500
#define LAUNCHERS (sizeof(launchers) / sizeof(launchers[0]))

static uint64_t
number(const char *variable, uint64_t otherwise)
{
	const char *text = variable ? getenv(variable) : NULL;
	uint64_t value;

	if (!text || stn_parse_count(text, 0, UINT32_MAX, &value))
		return otherwise;
	return value;
}

uint32_t
stn_launched_rank(void)
{
	for (size_t i = 0; i < LAUNCHERS; i++)
		if (getenv(launchers[i].rank))
			return (uint32_t)number(launchers[i].rank, 0);
	return 0;
}

bool
stn_launched_speaks(void)
{
	uint32_t rank = stn_launched_rank();
	uint64_t here = rank;

	for (size_t i = 0; i < LOCAL; i++)
		if (getenv(local[i])) {
			here = number(local[i], rank);
			break;
		}
	if (here)
		return false;
	if (rank)
		poll(NULL, 0, ELDERS_MS);
	return true;
}

uint64_t
stn_launched_many(const char **name_p)
{
	for (size_t i = 0; i < LAUNCHERS; i++) {
		uint64_t size = number(launchers[i].size, 1);

		if (size <= 1)
			continue;
		*name_p = launchers[i].name;
		return size;
	}
	return 1;
}

enum stn_err
stn_launched_alone(struct stn_why *why)
{
	const char *name;
	uint64_t size = stn_launched_many(&name);

	if (size <= 1)
		return STN_OK;
	return stn_because(why, STN_INVALID,
			   "this is one of %" PRIu64 " processes that %s "
			   "started without PMIx, by which nodes find each "
			   "other; use srun --mpi=pmix, Open MPI's mpirun, or "
			   "`sateen run`",
			   size, name);
}
