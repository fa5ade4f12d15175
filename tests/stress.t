#!/bin/sh
# stress.t: many small tasks, tiny deques, more workers than processors. The sums
# are right, no run hangs, and memory doesn't grow. With STN_LONG=1 each test runs
# 10^9 tasks.
. "$(dirname "$0")/tap.sh"

rounds=4 depth=20 more_kib=1024
[ -z "${STN_LONG:-}" ] || rounds=477
tap_limit=$((25 * rounds))
if sanitized; then
	depth=12 more_kib=1000000
fi

# stress VARIABLES...: runs trees of tasks with these settings.
stress() {
	prints '^[0-9]* tasks' env "$@" ./stress $rounds $depth $more_kib
	ok $? "$rounds trees of depth $depth are right with $*"
}

for slots in 1 3 100 65536; do
	stress STN_WORKERS=4 STN_SLOTS=$slots
done
stress STN_WORKERS=1 STN_SLOTS=2
stress STN_WORKERS=2 STN_SPIN=0ns
stress STN_WORKERS=4 STN_SPIN=1s
stress STN_WORKERS=4 STN_STATS=1

prints '^part: here, other work: elsewhere$' \
	env STN_WORKERS=4 STN_STACK=4MiB ./leapfrog
ok $? "a worker that waits deep in its stack runs parts of what it waits for only"

# nodes OPTIONS...: the same on several nodes, which steal from each other. Only
# the memory of node 0 is checked.
nodes() {
	prints '^[0-9]* tasks' ./sateen run "$@" ./stress $rounds $depth $more_kib
	ok $? "$rounds trees of depth $depth are right on nodes with $*"
}

nodes -n 3 --transport loop --workers 2 --slots 7
if have_ofi; then
	nodes -n 2 --provider tcp --workers 2
else
	skip "several processes" "libfabric-dev"
fi
if have_ofi_shm; then
	nodes -n 3 --provider shm --workers 1 --slots 5
else
	skip "several processes over libfabric's shm" "400 MB free in /dev/shm"
fi

plan
