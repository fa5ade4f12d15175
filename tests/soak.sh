#!/bin/sh
# soak.sh: the whole matrix of programs, providers, balancers, nodes and workers,
# again and again. By hand, in the build directory:
#
#	../tests/soak.sh [RUNS]	RUNS of each program in turn (100)
set -eu

runs=${1:-100}
source_directory=$(dirname "$0")/..
scene=$source_directory/apps/raytracer/balls2.nff
picture=$(./raytracer --seq -s 64 "$scene" | head -n 1)
queens='8:92 9:352 10:724 11:2680 12:14200 13:73712'
done=0

# check EXPECTED COMMAND...: its first line is as expected, within a minute.
check() {
	expected=$1
	shift
	got=$(timeout 60 "$@" 2>&1 | head -n 1)
	done=$((done + 1))
	[ "$got" = "$expected" ] || {
		echo "run $done: $*: \"$got\", not \"$expected\"" >&2
		exit 1
	}
}

# all OPTIONS...: every program once.
all() {
	check 'fib(22) = 17711' ./sateen run "$@" ./fib 22
	for pair in $queens; do
		check "nqueens(${pair%:*}) = ${pair#*:}" \
			./sateen run "$@" ./nqueens "${pair%:*}"
	done
	check 'burma14: 3323' \
		./sateen run "$@" ./tsp "$source_directory/apps/tsp/burma14.tsp"
	check "$picture" ./sateen run "$@" ./raytracer -s 64 "$scene"
}

while [ $done -lt "$runs" ]; do
	for fabric in shm ofi:tcp ofi:shm ucx:tcp; do
		provider=${fabric#*:}
		[ "$provider" != "$fabric" ] || provider=auto
		for balancer in rs crs; do
			for workers in 1 2; do
				for nodes in 1 2 8; do
					clusters=$(((nodes + 3) / 4))
					all -n $nodes -c $clusters -w $workers \
						-t "${fabric%:*}" \
						-p "$provider" -b $balancer \
						--wan 1ms,10MB/s
				done
			done
		done
	done
	echo "$done runs, all right"
done
