/*
 * victim.c: node 0 of `steal`. It spawns calls and computes while the thief
 * steals them. Then it waits for a call that the thief keeps for a while.
 */
#include "bench/steal/steal.h"

#define CALLS 512
#define COMPUTE_NS 50000000
#define WAIT_NS 20000000 /* the thief's time to steal the call */
#define TRIES 100

/*
 * The thief returns 1 when it has enough samples. If node 0 runs the call, it
 * returns 0.
 */
STN_TASK(int32_t, victim_take, int32_t, mode)
{
	(void)mode;
	return 0;
}

STN_TASK(int32_t, victim_compute)
{
	int32_t enough = 0;

	for (int i = 0; i < CALLS; i++)
		STN_SPAWN(victim_take, VICTIM_COMPUTES);
	steal_compute(COMPUTE_NS);
	for (int i = 0; i < CALLS; i++)
		enough |= STN_SYNC(victim_take);
	return enough;
}

STN_TASK(int32_t, victim_wait)
{
	STN_SPAWN(victim_take, VICTIM_WAITS);
	steal_compute(WAIT_NS);
	return STN_SYNC(victim_take);
}

int
victim_main(struct stn_frame *stn_frame)
{
	while (!STN_CALL(victim_compute))
		;
	for (int i = 0; i < TRIES; i++)
		if (STN_CALL(victim_wait))
			return EXIT_SUCCESS;
	return app_complain(EXIT_FAILURE, "node 1 stole no call");
}
