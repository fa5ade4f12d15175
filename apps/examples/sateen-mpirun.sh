#!/bin/sh
# A run by Open MPI's mpirun, in a job of a batch system that mpirun knows, or
# by ssh on the hosts of a file: HOSTFILE=hosts ./sateen-mpirun.sh
#
# The nodes of the run are mpirun's processes. Here each host has one process,
# which mpirun doesn't bind to cores, so that it has a worker on each core.

# Sateen's settings; `sateen info` lists all. mpirun passes only the variables
# that -x names to other hosts.
export STN_STATS=1

mpirun --map-by ppr:1:node --bind-to none -x STN_STATS \
	${HOSTFILE:+--hostfile "$HOSTFILE"} ${PROGRAM:-./nqueens 15}
