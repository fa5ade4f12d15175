#!/bin/sh
# matrix.t: runs every program, at a small size, with every balancer, on 1 cluster
# of 4 nodes, 4 clusters of 1 and 2 clusters of 2, over libfabric's tcp and over
# shared memory. The results are right, and the statistics add up. check-long runs
# the large sizes. STN_QUICK=1 in the environment leaves all but 2 clusters of 2 over
# shared memory out, which have messages inside and between clusters.
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
	for shape in '1 cluster of 4' '4 clusters of 1' '2 clusters of 2'; do
		if [ -n "${STN_QUICK:-}" ] && [ "$shape" != '2 clusters of 2' ]; then
			skip "balancer $balancer, $shape" "STN_QUICK is set"
			continue
		fi
		set -- --nodes 4 --clusters "${shape%% *}" --workers 1 \
			--wan 1ms,10MB/s --balancer "$balancer"
		row "balancer $balancer, $shape, shm" --transport shm "$@"
		if [ -n "${STN_QUICK:-}" ]; then
			skip "balancer $balancer, $shape, ofi tcp" \
				"STN_QUICK is set"
		elif have_ofi; then
			row "balancer $balancer, $shape, ofi tcp" \
				--transport ofi --provider tcp "$@"
		else
			skip "balancer $balancer, $shape, ofi tcp" \
				"libfabric-dev"
		fi
	done
	[ $records -gt 0 ]
	ok $? "balancer $balancer moved $records records from node to node"
done
plan
