/*
 * end.h: ends a process before its main returns.
 */
#ifndef STN_LAUNCH_END_H
#define STN_LAUNCH_END_H

/*
 * stn_end_process: ends this process with all its nodes at once; handlers of
 * exit() do not run. The caller has told the user why. These are the only
 * functions of the library that end a process, except in a child between fork
 * and exec. Any thread.
 */
_Noreturn void stn_end_process(int status);

/*
 * stn_end_cut_off: the same, because this process has lost its gateway, in a
 * run that goes on without it. From outside, its end looks like a death by
 * SIGKILL, so that its launcher does not take it for a failure of the program.
 */
_Noreturn void stn_end_cut_off(void);

#endif
