#!/bin/sh
# matrix.t: runs every program, at a small size: with every balancer on 2 clusters of
# 2 nodes over shared memory, and with CRS on 4 clusters of 1 over libfabric's tcp. The
# results are right, and the statistics add up. check-long runs the large sizes with
# each balancer on each shape over each transport.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/matrix.sh"

list small
programs=$(wc -l <"$scratch/programs")

# row BALANCER CLUSTERS OPTIONS...: tests all programs on 4 nodes.
row() {
	balancer=$1 clusters=$2 records=0 status=0
	shift 2
	while IFS='|' read -r command expected <&3; do
		attempt 60 "$command" "$expected" --balancer "$balancer" --nodes 4 \
			--clusters "$clusters" --workers 1 --wan 1ms,10MB/s "$@" ||
			status=1
		records=$((records + $(moved)))
	done 3<"$scratch/programs"
	ok $status "$programs programs are right: balancer $balancer, $clusters clusters, $*"
}

for name in $balancers; do
	row "$name" 2 --transport shm
	[ $records -gt 0 ]
	ok $? "balancer $name moved $records records from node to node"
done
if have_ofi; then
	row crs 4 --transport ofi --provider tcp
else
	skip "programs over libfabric" "libfabric-dev"
fi
plan
