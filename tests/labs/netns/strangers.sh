# shellcheck shell=sh
# strangers.sh: who else connects to a gateway while a run goes on.

# Some 5 s on 4 nodes, and less than one.
long="./tree -b 2 -d 11 -l 10ms"
short="./tree -b 2 -d 8 -l 10ms"

# shellcheck disable=SC2086 # a command
together $long
ok $? "a run that nobody disturbs"
undisturbed=$(seconds "$scratch/a.out")

# ports SITE: those of its gateway, for nodes and for other gateways.
ports() {
	on "$1" ss -Htln | awk '{ sub(/.*:/, "", $4); print $4 }' |
		grep -vx 22 | sort -u
}

# call WHAT N: strangers do, on each port.
call() {
	strangers=
	: >"$scratch/stranger"
	for port in $(ports a); do
		on stranger timeout 60 "$here/stranger" "$1" \
			"203.0.113.1:$port" "$2" >>"$scratch/stranger" 2>&1 &
		strangers="$strangers $!"
	done
}

# came: strangers were started, and were answered.
came() {
	[ -n "$strangers" ] || return
	for _ in $(seq 300); do # until each has said how often it did
		[ "$(wc -l <"$scratch/stranger")" -lt \
			"$(echo "$strangers" | wc -w)" ] || break
		sleep 0.1
	done
	awk '{ n += $1 } END { exit !n }' "$scratch/stranger"
}

# went_well SENTENCE
went_well() {
	finish && came && grep -qx -e 'tree(2^11) = 2048 leaves' \
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

# disturb SENTENCE WHAT N: while a run goes on.
disturb() {
	# shellcheck disable=SC2086 # a command
	begin $long
	flows a.wan0 5000
	call "$2" "$3"
	went_well "$1"
}

# forestall SENTENCE WHAT N: before the other cluster comes.
forestall() {
	# shellcheck disable=SC2086
	begin_first $short
	for _ in $(seq 300); do # it may be gone
		[ "$(ports a | wc -l)" = 2 ] && break
		sleep 0.1
	done
	call "$2" "$3"
	until [ -s "$scratch/stranger" ] || ! kill -0 "${strangers##* }"; do
		sleep 0.05
	done
	# shellcheck disable=SC2086
	begin_second $short
	went_well "$1"
}

disturb "strangers who send garbage are thrown out" garbage 200
disturb "connections that say nothing cost nothing" silent 200
disturb "nor do handshakes that stall" stalls 200
# A firewall of their own keeps them from answering the gateway's answer.
ip netns exec stranger nft -f - <<-END
	table inet half {
		chain output {
			type filter hook output priority 0; policy accept;
			tcp flags & (syn | ack) == ack drop
		}
	}
END
disturb "nor do connections that are half open" silent 200
ip netns exec stranger nft delete table inet half
disturb "10,000 connections don't stop a run" flood 5000

forestall "garbage before the run doesn't keep the other cluster away" \
	garbage 100
forestall "nor do 300 silent connections" silent 300
forestall "nor do 300 stalled handshakes" stalls 300
