/*
 * join_here.h: `sateen run --gateways`: all clusters on this host, each joined
 * by `sateen join`, with a Redis server and a secret of their own.
 */
#ifndef APPS_SATEEN_JOIN_HERE_H
#define APPS_SATEEN_JOIN_HERE_H

/* join_here: what main() returns; settings begin at @argv[1]. */
int join_here(int argc, char **argv);

#endif
