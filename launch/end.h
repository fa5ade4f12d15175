/*
 * end.h: ends a process before its main returns.
 */
#ifndef STN_LAUNCH_END_H
#define STN_LAUNCH_END_H

/*
 * stn_end_process: ends this process with all its nodes at once; handlers of
 * exit() do not run. The caller has told the user why. The only function of the
 * library that ends a process, except in a child between fork and exec. Any
 * thread.
 */
_Noreturn void stn_end_process(int status);

#endif
