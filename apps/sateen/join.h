/*
 * join.h: the command `sateen join`, which runs one cluster's part of a run of
 * several clusters.
 */
#ifndef APPS_SATEEN_JOIN_H
#define APPS_SATEEN_JOIN_H

/* join: @argv[0] is "join". Returns the exit status. */
int join(int argc, char **argv);

#endif
