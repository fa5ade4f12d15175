/*
 * wireup_socket.h: wire-up of a process that a launcher started, through the
 * stream socket that it inherited.
 */
#ifndef STN_LAUNCH_WIREUP_WIREUP_SOCKET_H
#define STN_LAUNCH_WIREUP_WIREUP_SOCKET_H

#include "launch/wireup/wireup.h"

/*
 * stn_wireup_socket: @fd is this process's end of the socket to the launcher.
 * stn_wireup_destroy closes it. NULL if there is no memory; @fd is then still
 * the caller's.
 */
struct stn_wireup *stn_wireup_socket(int fd, uint32_t nodes);

/*
 * stn_wireup_socket_depend: if the socket's other end closes it after
 * stn_wireup_watch and before the barrier opens, this process ends at once, by
 * stn_end_cut_off. @wireup is one that stn_wireup_socket has made.
 */
void stn_wireup_socket_depend(struct stn_wireup *wireup);

/*
 * stn_wireup_socket_joins: the same for a run of @nodes nodes that others join:
 * @ranks at most.
 * @late  this node is one of those that join
 */
struct stn_wireup *stn_wireup_socket_joins(int fd, uint32_t nodes,
					   uint32_t ranks, bool late);

#endif
