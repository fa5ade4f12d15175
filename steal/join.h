/*
 * join.h: what a launcher tells a process it starts, besides the settings, in
 * its environment.
 */
#ifndef STN_STEAL_JOIN_H
#define STN_STEAL_JOIN_H

#define STN_JOIN_RANK "STN_RANK"	/* the node's number */
#define STN_JOIN_WIREUP "STN_WIREUP_FD" /* a stream socket to the launcher */
#define STN_JOIN_LINKS "STN_LINKS_FD"	/* memory for the topology's busy */

#endif
