/*
 * commands.h: those commands of sateen that have a file of their own. All block
 * and return an exit status.
 */
#ifndef APPS_SATEEN_COMMANDS_H
#define APPS_SATEEN_COMMANDS_H

#include <stddef.h>

/*
 * bench: runs a benchmark. @argv has "bench", the benchmark's name, settings
 * and the benchmark's options.
 */
int bench(int argc, char **argv);

/*
 * join: one cluster's part of a run of several clusters. @argv[0] is "join".
 */
int join(int argc, char **argv);

/*
 * join_here: `sateen run --gateways`: starts all clusters on this host, with a
 * `sateen join` for each, and a Redis server and a secret for this run. The
 * settings begin at @argv[1].
 */
int join_here(int argc, char **argv);

/*
 * runs: lists the user's runs. @argv[0] is "runs".
 * runs_list: the same; sets @count to their number.
 * leave: makes nodes leave a run. @argv[0] is "leave".
 */
int runs(int argc, char **argv);
int runs_list(int *count);
int leave(int argc, char **argv);

/* top: shows a run while it goes on. @argv[0] is "top". */
int top(int argc, char **argv);

/* report: a page about a traced run. @argv[0] is "report". */
int report(int argc, char **argv);

/* speedup: times of a program with more and more workers. @argv[0] is
 * "speedup". */
int speedup(int argc, char **argv);

/* add: lets nodes join a run. @argv[0] is "add". */
int add(int argc, char **argv);

/* help_on: a manual page or a guide. @argv[0] is "help". */
int help_on(int argc, char **argv);

#endif
