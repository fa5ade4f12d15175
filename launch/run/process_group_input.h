/*
 * process_group_input.h: the pipe by which the owner of a process group writes
 * the input of main. Node 0 has it as standard input. If the run survives
 * deaths, the other nodes have it, too, and make it their standard input when
 * they become the root. One thread.
 */
#ifndef STN_LAUNCH_RUN_PROCESS_GROUP_INPUT_H
#define STN_LAUNCH_RUN_PROCESS_GROUP_INPUT_H

#include "launch/run/process_group.h"

/*
 * process_group_input_open: before the nodes start. STN_IO.
 * process_group_input_started: they have started, or this has failed.
 * process_group_input_close: closes both ends.
 */
STN_CHECKED enum stn_err
process_group_input_open(struct stn_process_group *group, struct stn_why *why);
void process_group_input_started(struct stn_process_group *group);
void process_group_input_close(struct stn_process_group *group);

/*
 * stn_process_group_input_left: the number of bytes in the pipe, which no node
 * has read; 0 if there is no pipe.
 * stn_process_group_input_restart: another node of the group reads the input
 * from its beginning. Empties the pipe, and opens it if it was closed at the
 * end of the input.
 */
size_t stn_process_group_input_left(const struct stn_process_group *group);
void stn_process_group_input_restart(struct stn_process_group *group);

#endif
