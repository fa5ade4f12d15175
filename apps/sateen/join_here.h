/*
 * join_here.h: `sateen run --gateways`: starts all clusters on this host, with
 * a `sateen join` for each, and a Redis server and a secret for this run.
 */
#ifndef APPS_SATEEN_JOIN_HERE_H
#define APPS_SATEEN_JOIN_HERE_H

/* join_here: the settings begin at @argv[1]. Returns the exit status. */
int join_here(int argc, char **argv);

#endif
