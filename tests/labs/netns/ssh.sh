# shellcheck shell=sh
# ssh.sh: a run on the hosts of one cluster, started by ssh from the front-end.

printf 'a1 slots=2\na2 slots=2\n' >"$lab/hosts"

# The leaves sleep, so that there is work left even for a node that starts late.
prints '^tree(2^8) = 256 leaves$' on a ./sateen run --hosts "$lab/hosts" \
	--workers 1 --stats ./tree -b 2 -d 8 -l 10ms
ok $? "a tree runs with two nodes on each of two hosts"
grep '^sateen:' "$scratch/err" | sed 's/^/# /'
grep -q '^sateen: 4 nodes on 2 hosts: .*10\.1\.0\.0/24' "$scratch/err"
ok $? "  between the hosts tcp on their LAN is chosen automatically"
grep -q '^sateen: 4 nodes on 2 hosts: .*shm' "$scratch/err"
ok $? "  inside a host shared memory is used"
awk '/^ *on another node/ { seen = $4 > 0 } END { exit !seen }' "$scratch/err"
ok $? "  calls are stolen between nodes"
[ -z "$(leftovers a1)$(leftovers a2)" ]
ok $? "  no process is left on the hosts"

prints '^kept 1024 times$' on a ./sateen run --hosts "$lab/hosts" \
	--per host ./netns-secret word
ok $? "--per host starts one node on each host"

refuses 'host a7' on a ./sateen run --hosts /dev/stdin ./nqueens 5 <<-END
	a1
	a7
END
ok $? "a host that doesn't exist is named"

# A run begins on one host, and another one joins. The launcher's number is the
# one that `sateen runs` lists.
run_number() {
	on a env XDG_RUNTIME_DIR="$lab" ./sateen runs |
		sed -n 's/^\([0-9][0-9]*\) .*/\1/p' | grep .
}
printf 'a1 slots=1\n' >"$lab/first"
printf 'a2 slots=2\n' >"$lab/more"
on a env XDG_RUNTIME_DIR="$lab" ./sateen run --hosts "$lab/first" \
	--max-nodes 3 --survive yes --workers 1 --stats \
	./tree -b 2 -d 9 -l 10ms >"$scratch/out" 2>"$scratch/err" </dev/null &
joined=$!
until_true run_number
run=$(run_number)
adds() {
	on a env XDG_RUNTIME_DIR="$lab" ./sateen add "$run" \
		--hosts "$lab/more" 2>"$scratch/said"
}
until_true adds
ok $? "another host joins a run that one host has begun"
sed 's/^/# /' "$scratch/said"
wait $joined && grep -q '^tree(2^9) = 512 leaves$' "$scratch/out" &&
	awk '/^tasks executed/ { seen = $5 > 0 && $6 > 0 && $7 > 0 }
		END { exit !seen }' \
		"$scratch/err"
ok $? "  its nodes run tasks"
grep '^sateen:' "$scratch/err" | sed 's/^/# /'
[ -z "$(leftovers a1)$(leftovers a2)" ]
ok $? "  no process is left on the hosts"
