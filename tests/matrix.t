#!/bin/sh
# matrix.t: runs every program, at a small size, with every balancer: on 1 cluster of
# 4 nodes and 2 clusters of 2 over shared memory, and on 4 clusters of 1 over
# libfabric's tcp. The results are right, and the statistics add up. check-long runs
# the large sizes, each shape over each transport. With STN_QUICK=1 in the environment
# it runs 2 clusters of 2 alone, which have messages inside and between clusters.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/matrix.sh"

list small
programs=$(wc -l <"$scratch/programs")

# row WORDS OPTIONS...: tests all programs under these options.
row() {
	words=$1 status=0
	shift
	while IFS='|' read -r command expected <&3; do
		attempt 60 "$command" "$expected" "$@" || status=1
		records=$((records + $(moved)))
	done 3<"$scratch/programs"
	ok $status "$programs programs are right with $words"
}

for balancer in $balancers; do
	records=0
	for shape in '1 cluster of 4' '2 clusters of 2' '4 clusters of 1'; do
		case $shape in
		4*) set -- --transport ofi --provider tcp ;;
		*) set -- --transport shm ;;
		esac
		name="balancer $balancer, $shape, $2${4:+ $4}"
		if [ -n "${STN_QUICK:-}" ] && [ "$shape" != '2 clusters of 2' ]; then
			skip "$name" "STN_QUICK is set"
		elif [ "$2" = shm ] || have_ofi; then
			row "$name" --nodes 4 --clusters "${shape%% *}" \
				--workers 1 --wan 1ms,10MB/s \
				--balancer "$balancer" "$@"
		else
			skip "$name" "libfabric-dev"
		fi
	done
	[ $records -gt 0 ]
	ok $? "balancer $balancer moved $records records from node to node"
done
plan
