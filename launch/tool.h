/*
 * tool.h: what the sateen command is made of besides stn_launch. libsateen
 * doesn't export these functions.
 */
#ifndef STN_LAUNCH_TOOL_H
#define STN_LAUNCH_TOOL_H

#include <stdio.h>

/*
 * stn_launch_tool: starts one of Sateen's own tools as a run of two nodes with
 * a worker each, unless the arguments say otherwise. If mpirun or srun has
 * started several of this process, the process becomes the tool, as a node.
 * @argc, @argv  argv[0] is the tool's file. Behind it stand settings, as those
 *     of `sateen run`, and the tool's own arguments, in any order.
 * Returns an exit status and blocks, as stn_launch (steal/sateen.h).
 */
int stn_launch_tool(int argc, char **argv);

/*
 * stn_info: writes to @out which transports were built and can be used here,
 * and every setting with its value, default, unit and help. `sateen info`
 * prints this. Returns EXIT_SUCCESS, or EXIT_FAILURE after one line on stderr
 * if a setting in the environment is wrong.
 */
int stn_info(FILE *out);

#endif
