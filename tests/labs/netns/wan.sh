# shellcheck shell=sh
# wan.sh: the laboratory itself is as described in `check`.

# round_trip FROM TO: the shortest of five, in whole ms.
round_trip() {
	on "$1" ping -c 5 -i 0.2 -q "$2" |
		sed -n 's/^rtt [^=]*= \([0-9]*\).*/\1/p'
}

ms=$(round_trip a 203.0.113.2)
echo "# from front-end to front-end and back: $ms ms ($wire)"
[ "${ms:-0}" -ge 100 ] && [ "$ms" -lt 110 ]
ok $? "the clusters are 50 ms apart"
ms=$(round_trip a1 10.1.0.2)
[ "${ms:-9}" -lt 2 ]
ok $? "hosts of one cluster are less than 2 ms apart"
! on a1 ping -c 1 -W 1 -q 203.0.113.2 >/dev/null 2>&1
ok $? "a compute host has no route to the outside"
boots=$(for host in a1 a2 a; do
	on $host cat /proc/sys/kernel/random/boot_id
done | sort -u | wc -l)
[ "$boots" = 3 ]
ok $? "each host has a boot identity of its own"
[ -z "$(leftovers a1)" ]
ok $? "no unknown process runs on a host"
