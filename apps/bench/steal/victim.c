/*
 * victim.c: node 0 of `steal`. It spawns calls and computes, while the thief
 * takes them; then waits for a call that the thief keeps for a while.
 */
#include "apps/bench/steal/steal.h"

#define CALLS 512
#define COMPUTE_NS 50000000
#define WAIT_NS 20000000 /* for the thief to take the call */
#define TRIES 100

/* The thief's answer: does it want no more? Run at home: it does. */
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
	return app_complain(EXIT_FAILURE, "no thief took a call");
}
