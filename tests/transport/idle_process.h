/*
 * idle_process.h: processes whose ends a test looks for.
 */
#ifndef TESTS_TRANSPORT_IDLE_PROCESS_H
#define TESTS_TRANSPORT_IDLE_PROCESS_H

#include <sys/types.h>

#include "transport/identity.h"

/*
 * idle_process: starts a process that does nothing, and ends with the test at
 * the latest. Returns its number. Aborts if it can't be started.
 * end_idle_process: kills it, and waits for its end.
 */
pid_t idle_process(unsigned char identity[STN_IDENTITY_BYTES]);
void end_idle_process(pid_t process);

#endif
