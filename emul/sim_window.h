/*
 * sim_window.h: a share's part in a window (sim_run.h).
 */
#ifndef STN_EMUL_SIM_WINDOW_H
#define STN_EMUL_SIM_WINDOW_H

#include "emul/sim.h"

/* sim_run_window: runs the share's events of the window; or fewer, at a pause.
 */
void sim_run_window(struct stn_sim *sim);

#endif
