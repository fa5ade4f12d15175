# shellcheck shell=sh
# ports.sh: firewalls let only some ports through to the hosts.

# wall PORTS: lets only these through to the hosts of cluster a.
wall() {
	for host in a1 a2; do
		ip netns exec $host nft -f - <<-END
			table inet wall
			delete table inet wall
			table inet wall {
				chain input {
					type filter hook input priority 0; policy drop;
					iif lo accept
					ct state established,related accept
					tcp dport { 22, $1 } accept
					meta l4proto icmp accept
				}
			}
		END
	done
}

wall 9000-9003
printf 'a1 slots=2\na2 slots=2\n' >"$lab/hosts"

prints '^nqueens(13) = 73712$' on a ./sateen run --hosts "$lab/hosts" \
	--workers 1 --ports 9000-9003 ./nqueens 13
ok $? "nodes listen on the ports of --ports, which the firewall lets through"

# Lists all ports on which a host listens while a program runs.
on a timeout 60 ./sateen run --hosts "$lab/hosts" --workers 1 \
	--ports 9000-9003 ./tree -b 2 -d 10 -l 10ms >"$scratch/out" 2>&1 &
run=$!
for _ in $(seq 300); do
	listened=$(on a1 ss -Htln | awk '{ sub(/.*:/, "", $4); print $4 }' |
		grep -vx 22 | sort -u | tr '\n' ' ')
	[ "$(echo "$listened" | wc -w)" -ge 2 ] && break
	kill -0 $run 2>/dev/null || break
	sleep 0.1
done
wait $run
echo "# listened on: $listened"
[ "$listened" = "9000 9001 " ]
ok $? "nodes listen on no other ports"
refuses 'port 9000 .* in use; choose another --ports' on a ./sateen run --hosts "$lab/hosts" --workers 1 \
	--ports 9000-9000 ./nqueens 5
ok $? "a range with too few ports is refused with a hint"
refuses 'is gone: it has not answered' on a timeout 60 ./sateen run --survive no --hosts "$lab/hosts" \
	--workers 1 --ports 9100-9103 ./nqueens 5
ok $? "if the firewall blocks the ports, the run ends with one line"

# sateen bench: Sateen listens on port 9000 of each host, libfabric's path on 9001,
# and sockets on 9002.
printf 'a1\na2\n' >"$lab/pair"
bench="./sateen run --hosts $lab/pair -n 2 --ports 9000-9003 ./sateen bench latency
	--rounds 20 --sizes 8"
# shellcheck disable=SC2086 # options
prints '^  *TCP sockets  *[0-9]' on a $bench
ok $? "sockets that sateen bench measures listen on these ports, too"
wall 9000-9001
# shellcheck disable=SC2086 # options
prints '^  *without TCP sockets: can.t connect: ' on a $bench &&
	grep -q '^  *libfabric send  *[0-9]' "$scratch/out"
ok $? "if the firewall blocks their port, they are left out, and no node counts as dead"

for host in a1 a2; do
	ip netns exec $host nft delete table inet wall
done
