/*
 * join.h: `sateen join`: a cluster's part in a run of several.
 */
#ifndef APPS_SATEEN_JOIN_H
#define APPS_SATEEN_JOIN_H

/* join: what main() returns; @argv[0] is "join". */
int join(int argc, char **argv);

#endif
