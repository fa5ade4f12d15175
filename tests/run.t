#!/bin/sh
# run.t: programs print the right answers with all kinds of options and transports.
. "$(dirname "$0")/tap.sh"

data=$source_directory/apps
# api COMMAND...: tests the program api, which checks the calls of sateen.h.
api() {
	prints '^api: all right$' "$@"
	ok $? "the calls of sateen.h are right with $*"
}

api ./api
for workers in 1 2 4; do
	api env STN_WORKERS=$workers ./api
done
if grep -q '^#define HAVE_HWLOC' config.h; then
	api env STN_PIN=yes STN_WORKERS=1 ./api
else
	skip "a worker that is bound to a core" "libhwloc-dev"
fi
api env STN_SLOTS=1 STN_WORKERS=2 ./api
api env STN_SLOTS=3 STN_WORKERS=2 STN_STATS=1 ./api
api ./sateen run -n 5 --transport loop --workers 2 ./api
api ./sateen run -n 6 -c 3 --wan 2ms,5MB/s --transport loop --workers 1 ./api
api ./sateen run -n 4 -c 2 --wan 1ms --transport loop --slots 2 ./api

# answers OPTIONS...: tests every program under these options of sateen run.
answers() {
	status=0
	prints '^fib(20) = 6765$' ./sateen run "$@" ./fib 20 || status=1
	for queens in $queens_answers; do
		prints "^nqueens(${queens%:*}) = ${queens#*:}\$" \
			./sateen run "$@" ./nqueens "${queens%:*}" || status=1
	done
	prints '^burma14: 3323$' \
		./sateen run "$@" ./tsp "$data/tsp/burma14.tsp" || status=1
	prints '^tree(3^4) = 81 leaves$' \
		./sateen run "$@" ./tree -b 3 -d 4 -l 200us || status=1
	if [ -x ./raytracer ]; then
		prints "$picture" ./sateen run "$@" ./raytracer -s 64 \
			"$data/raytracer/balls2.nff" || status=1
	fi
	if [ -x ./uts ]; then
		prints '16000 nodes' ./sateen run "$@" ./uts T1S || status=1
	fi
	ok $status "right answers with $*"
}

# STN_LONG=1 in the environment tests all sizes.
queens_answers='8:92 13:73712'
[ -z "${STN_LONG:-}" ] ||
	queens_answers='8:92 9:352 10:724 11:2680 12:14200 13:73712'

picture=
if [ -x ./raytracer ]; then
	picture=$(./raytracer --seq -s 64 "$data/raytracer/balls2.nff" |
		sed -n 's/.*\(checksum [0-9a-f]*\)$/\1/p')
	[ -n "$picture" ]
	ok $? "the sequential ray tracer prints a checksum"
else
	skip "pictures" "raytracer was not built (libpng-dev)"
fi

answers -n 1 --workers 2
if [ -x ./uts ]; then
	prints 'uts(T3) = 4112897 nodes' ./uts T3
	ok $? "the tree T3 has the published number of nodes"
else
	skip "unbalanced trees" "uts was not built (nettle-dev)"
fi
# several OPTIONS...: tests runs of several nodes with these options.
several() {
	api ./sateen run -n 3 --workers 2 "$@" ./api
	api ./sateen run -n 4 -c 2 --wan 2ms,2MB/s "$@" ./api
	answers -n 2 --workers 2 "$@"
	answers -n 4 --workers 1 --balancer rs "$@"
	answers -n 4 -c 2 --wan 1ms,10MB/s --workers 2 --balancer crs "$@"
}

several --transport shm
answers -n 8 --workers 1 --transport shm
complains 1 'no room for a segment: File too large; raise .ulimit -f.$' \
	sh -c 'ulimit -f 100; exec ./sateen run -n 2 --transport shm ./fib 20'
ok $? "a limit of files is named that is too low for shared memory"
if have_ofi; then
	several --provider tcp
else
	skip "runs over libfabric" "libfabric-dev"
fi
if have_ofi_shm; then
	api ./sateen run -n 3 --provider shm ./api
	answers -n 4 --provider shm
else
	skip "runs over libfabric's shm" "400 MB free in /dev/shm"
fi
if have_ucx; then
	several --transport ucx --provider tcp
	answers -n 4 --transport ucx --provider posix
else
	skip "runs over UCX" "libucx-dev"
fi

plan
