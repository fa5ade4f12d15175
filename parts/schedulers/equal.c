/*
 * equal: no part moves. The nodes have equal numbers of parts: the "equal load
 * balancing" (ELB) of Dobber, Koole and van der Mei, CCGrid 2005.
 */
#include "parts/scheduler.h"

const struct stn_scheduler stn_scheduler_equal = {
	.name = "equal",
	.help = "equal numbers of parts, which never move",
	.resident = true,
};
