#!/bin/sh
# A run by Open MPI's mpirun: in a job of a batch system that it knows, or on
# the hosts of a file, by ssh: HOSTFILE=hosts ./sateen-mpirun.sh
#
# A run's nodes are mpirun's processes: one a host here, bound to none of its
# cores, so that it has a worker on each.

# Sateen's settings; `sateen info` lists them all. To other hosts mpirun takes
# along those that are named by -x.
export STN_STATS=1

mpirun --map-by ppr:1:node --bind-to none -x STN_STATS \
	${HOSTFILE:+--hostfile "$HOSTFILE"} ${PROGRAM:-./nqueens 15}
