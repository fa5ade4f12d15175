#include "launch/launcher_env.h"

#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>

#include "transport/units.h"

/*
 * The first launcher whose variable is set counts, since launchers start each
 * other: srun may start Open MPI's processes.
 */
static const struct {
	const char *name, *rank, *size;
} launchers[] = {
	{ "a launcher with PMIx", "PMIX_RANK", NULL },
	{ "mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
	{ "a launcher with PMI", "PMI_RANK", "PMI_SIZE" },
	{ "srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS" },
};

/* Variables with the process's rank on its host. */
static const char *const local_ranks[] = {
	"OMPI_COMM_WORLD_LOCAL_RANK",
	"MPI_LOCALRANKID",
	"SLURM_LOCALID",
};

#define LOCAL_RANKS (sizeof(local_ranks) / sizeof(local_ranks[0]))
#define RANK_0_HEAD_START_MS 500
#define LAUNCHERS (sizeof(launchers) / sizeof(launchers[0]))

static uint64_t
env_number(const char *variable, uint64_t otherwise)
{
	const char *text = variable ? getenv(variable) : NULL;
	uint64_t value;

	if (!text || stn_parse_count(text, 0, UINT32_MAX, &value))
		return otherwise;
	return value;
}

uint32_t
stn_launcher_rank(void)
{
	for (size_t i = 0; i < LAUNCHERS; i++)
		if (getenv(launchers[i].rank))
			return (uint32_t)env_number(launchers[i].rank, 0);
	return 0;
}

bool
stn_launcher_should_report(void)
{
	uint32_t rank = stn_launcher_rank();
	uint64_t here = rank;

	for (size_t i = 0; i < LOCAL_RANKS; i++)
		if (getenv(local_ranks[i])) {
			here = env_number(local_ranks[i], rank);
			break;
		}
	if (here)
		return false;
	if (rank)
		poll(NULL, 0, RANK_0_HEAD_START_MS);
	return true;
}

uint64_t
stn_launcher_size(const char **name_p)
{
	for (size_t i = 0; i < LAUNCHERS; i++) {
		uint64_t size = env_number(launchers[i].size, 1);

		if (size <= 1)
			continue;
		*name_p = launchers[i].name;
		return size;
	}
	return 1;
}

enum stn_err
stn_launcher_check_alone(struct stn_why *why)
{
	const char *name;
	uint64_t size = stn_launcher_size(&name);

	if (size <= 1)
		return STN_OK;
	return stn_because(
		why, STN_INVALID,
		"this is one of %" PRIu64 " processes that %s "
		"started without PMIx, which nodes need to find each "
		"other; use srun --mpi=pmix, Open MPI's mpirun, or "
		"`sateen run`",
		size, name);
}
