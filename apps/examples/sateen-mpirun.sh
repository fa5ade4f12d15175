#!/bin/sh
# A run by Open MPI's mpirun, in a job of a batch system that mpirun knows, or
# by ssh on the hosts of a file: HOSTFILE=hosts ./sateen-mpirun.sh
#
# The nodes of the run are mpirun's processes. Here each host has one process,
# which mpirun doesn't bind to cores, so that it has a worker on each core.
#
# Sateen's settings are variables such as STN_BALANCER=lrs; `sateen info` lists all.
# STN_STATS=1 prints statistics, but makes each spawn some ten times as expensive.

# mpirun passes only the variables that -x names to other hosts.
variables=$(env | sed -n 's/^\(STN_[A-Z_]*\)=.*/-x \1/p')

# shellcheck disable=SC2086 # words
mpirun --map-by ppr:1:node --bind-to none $variables \
	${HOSTFILE:+--hostfile "$HOSTFILE"} ${PROGRAM:-./nqueens 15}
