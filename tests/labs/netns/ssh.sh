# shellcheck shell=sh
# ssh.sh: a run over the hosts of one cluster, started from its front-end.

printf 'a1 slots=2\na2 slots=2\n' >"$lab/hosts"

# Its leaves sleep: so there is work for all, whoever comes late.
prints '^tree(2^8) = 256 leaves$' on a ./sateen run --hosts "$lab/hosts" \
	--workers 1 --stats ./tree -b 2 -d 8 -l 10ms
ok $? "a tree on two nodes on each of two hosts"
grep '^sateen:' "$scratch/err" | sed 's/^/# /'
grep -q '^sateen: 4 nodes on 2 hosts: .*10\.1\.0\.0/24' "$scratch/err"
ok $? "  between which tcp on their LAN is chosen, unasked"
grep -q '^sateen: 4 nodes on 2 hosts: .*shm' "$scratch/err"
ok $? "  and in which they use shared memory"
awk '/^ *on another node/ { exit !($4 > 0) }' "$scratch/err"
ok $? "  calls go from node to node"
[ -z "$(left a1)$(left a2)" ]
ok $? "  nothing is left on the hosts"

prints '^kept 1024 times$' on a ./sateen run --hosts "$lab/hosts" \
	--per host ./netns-secret word
ok $? "a node for each host"

refuses 'host a7' on a ./sateen run --hosts /dev/stdin ./nqueens 5 <<-END
	a1
	a7
END
ok $? "a host that isn't there is named"
