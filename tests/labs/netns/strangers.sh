# shellcheck shell=sh
# strangers.sh: processes outside the run connect to a gateway.

# The first runs some 5 s on 4 nodes, the second less than one second.
long="./tree -b 2 -d 11 -l 10ms"
short="./tree -b 2 -d 8 -l 10ms"

# shellcheck disable=SC2086 # a command
together $long
ok $? "a run without strangers ends with success"
undisturbed=$(seconds "$scratch/a.out")

# ports SITE: the ports on which its gateway listens for nodes and gateways.
ports() {
	on "$1" ss -Htln | awk '{ sub(/.*:/, "", $4); print $4 }' |
		grep -vx 22 | sort -u
}

# call WHAT N: starts a stranger for each port of a's gateway.
call() {
	strangers=
	: >"$scratch/stranger"
	for port in $(ports a); do
		on stranger timeout 60 "$here/stranger" "$1" \
			"203.0.113.1:$port" "$2" >>"$scratch/stranger" 2>&1 &
		strangers="$strangers $!"
	done
}

# connected LEAST: true if strangers were started, and have made so many connections.
connected() {
	[ -n "$strangers" ] || return
	for _ in $(seq 300); do # until each has printed its number
		[ "$(wc -l <"$scratch/stranger")" -lt \
			"$(echo "$strangers" | wc -w)" ] || break
		sleep 0.1
	done
	awk -v least="$1" '{ n += $1 } END { exit n < least }' "$scratch/stranger"
}

# ends_well SENTENCE LEAST: the run ends with the right result, and strangers make so
# many connections; stops the strangers.
ends_well() {
	finish && connected "$2" && grep -qx -e 'tree(2^11) = 2048 leaves' \
		-e 'tree(2^8) = 256 leaves' "$scratch/a.out"
	ok $? "$1"
	# shellcheck disable=SC2086 # a list
	{
		kill $strangers
		wait $strangers
	} 2>/dev/null
	echo "# connections: $(tr '\n' ' ' <"$scratch/stranger");" \
		"$(seconds "$scratch/a.out") s, undisturbed $undisturbed s"
	complaints "$scratch/a.err" | sed 's/^/# /'
}

# connect_during SENTENCE WHAT N: strangers connect during a run, N times to each of
# the two ports. The run takes at most half as long again as without them.
connect_during() {
	# shellcheck disable=SC2086 # a command
	begin $long
	flows a.wan0 5000
	call "$2" "$3"
	ends_well "$1" $((2 * $3))
	echo "$(seconds "$scratch/a.out") $undisturbed" |
		awk '{ exit !($1 > 0 && $1 <= 1.5 * $2) }'
	ok $? "  and it takes at most 1.5 times as long as an undisturbed one"
}

# connect_before SENTENCE WHAT N: they connect before the other cluster does.
connect_before() {
	# shellcheck disable=SC2086
	begin_first $short
	for _ in $(seq 300); do # the gateway may have failed
		[ "$(ports a | wc -l)" = 2 ] && break
		sleep 0.1
	done
	call "$2" "$3"
	until [ -s "$scratch/stranger" ] || ! kill -0 "${strangers##* }"; do
		sleep 0.05
	done
	# shellcheck disable=SC2086
	begin_second $short
	ends_well "$1" 1
}

connect_during "100 connections that send random bytes don't stop a run" garbage 50
connect_during "200 silent connections don't stop a run" silent 100
connect_during "200 stalled TLS handshakes don't stop a run" stalls 100
# The stranger's own firewall drops its replies to the gateway's SYN-ACK.
ip netns exec stranger nft -f - <<-END
	table inet half {
		chain output {
			type filter hook output priority 0; policy accept;
			tcp flags & (syn | ack) == ack drop
		}
	}
END
connect_during "200 half-open connections don't stop a run" silent 100
ip netns exec stranger nft delete table inet half
connect_during "10,000 connections don't stop a run" flood 5000

connect_before "connections that send random bytes don't keep the other cluster away" \
	garbage 100
connect_before "silent connections don't keep the other cluster away" silent 300
connect_before "300 stalled TLS handshakes don't keep the other cluster away" stalls 300
