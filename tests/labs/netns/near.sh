# shellcheck shell=sh
# near.sh: a host that joins a run of two clusters joins the one that is nearer,
# though it has more nodes.

host far1
uplink far1 lan0 lan-a 10.1.0.5/24 20ms 100
serve_ssh far1 10.1.0.5

near_run() {
	on a env XDG_RUNTIME_DIR="$lab" ./sateen runs |
		sed -n 's/^\([0-9][0-9]*\) .*/\1/p' | grep .
}

# near_asks [OPTION...]: adds the hosts. False if the run has not begun yet.
near_asks() {
	on a env XDG_RUNTIME_DIR="$lab" ./sateen add "$run" --hosts "$lab/more" \
		"$@" 2>"$scratch/said"
	! grep -q 'try again' "$scratch/said"
}

# near_adds HOST CLUSTER NODES [OPTION...]: adds a node on that host, which joins
# that cluster; then the run has so many nodes.
near_adds() {
	echo "$1 slots=1" >"$lab/more"
	near_line="1 node has joined: 1 in cluster $2; the run has $3 now"
	shift 3
	until_true near_asks "$@"
	grep -qx "sateen: $near_line" "$scratch/err" && return
	sed 's/^/# /' "$scratch/said" "$scratch/err"
	return 1
}

printf 'a1 slots=2 cluster=near\nfar1 slots=1 cluster=far\n' >"$lab/hosts"
on a env XDG_RUNTIME_DIR="$lab" ./sateen run --hosts "$lab/hosts" \
	--max-nodes 7 --workers 1 ./tree -b 2 -d 11 -l 20ms \
	>"$scratch/out" 2>"$scratch/err" </dev/null &
joined=$!
until_true near_run
run=$(near_run)
until_true grep -q '^sateen: 3 nodes on 2 hosts' "$scratch/err"
near_adds a2 near 4
ok $? "a host joins the cluster that is 40 ms nearer"
near_adds far1 far 5
ok $? "another host is nearer to the other cluster"
near_adds a2 far 6 --cluster far
ok $? "a cluster that is named counts more"
wait $joined && grep -q '^tree(2^11) = 2048 leaves$' "$scratch/out"
ok $? "the run ends well"
[ -z "$(leftovers a1)$(leftovers a2)$(leftovers far1)" ]
ok $? "no process is left on the hosts"
