# shellcheck shell=sh
# subnets.sh: hosts with many interfaces. c1 and c2 have two
# networks in common. Each has one network that the other lacks, and one like
# Docker's, with the same address on both hosts, that doesn't connect them.

lan lan-c
lan lan-d
for n in 1 2; do
	host c$n
	plug c$n store0 lan-d 10.4.0.$n/24
	plug c$n data0 lan-c 10.3.0.$n/24
	lan lan-c$n
	plug c$n own0 lan-c$n 192.168.$n.5/24
	ip -n c$n link add docker0 type bridge
	ip -n c$n link add inside type veth peer name outside
	ip -n c$n link set outside master docker0 up
	ip -n c$n link set inside up
	ip -n c$n address add 172.17.0.1/16 dev docker0
	ip -n c$n link set docker0 up
done
front_end c
plug c store0 lan-d 10.4.0.9/24
printf 'c1\nc2\n' >"$lab/hosts"

# queens OPTIONS...: runs on c1 and c2; @chosen is the line on the network.
queens() {
	prints '^nqueens(11) = 2680$' on c ./sateen run --hosts "$lab/hosts" \
		--workers 1 "$@" ./nqueens 11
	outcome=$?
	chosen=$(grep '^sateen: 2 nodes on 2 hosts' "$scratch/err")
	echo "# $chosen"
	return $outcome
}

# network PATTERN: was a network chosen that matches?
network() {
	echo "$chosen" | grep -q "$1"
}

queens && network '10\.[34]\.0\.0/24'
ok $? "of many networks one that both hosts have is chosen"
queens --interface store0 && network '10\.4\.0\.0/24 (store0'
ok $? "--interface selects a network"
queens --address 10.3.0.0/24 && network '10\.3\.0\.0/24'
ok $? "--address selects a network"

# refused PATTERN OPTIONS...: the run is refused with a line that matches.
refused() {
	pattern=$1
	shift
	refuses "$pattern" on c ./sateen run --hosts "$lab/hosts" \
		--workers 1 "$@" ./nqueens 11
}

refused '172\.17\.0\.1' --interface docker0
ok $? "an address that both hosts have is refused"
refused 'own0\|192\.168' --address 192.168.1.0/24
ok $? "a network that one host lacks is refused"
refused 'eth7' --interface eth7
ok $? "an interface that doesn't exist is named"
ip -n c2 link set data0 down
refused 'data0.*down' --interface data0
ok $? "an interface that is down is refused as down"
for host in c1 c2; do
	ip -n $host link add cable0 type veth peer name unplugged
	ip -n $host address add 10.9.9.${host#c}/24 dev cable0
	ip -n $host link set cable0 up
done
refused 'cable0.*carrier' --interface cable0
ok $? "an interface without a carrier is refused as such"
queens && network '10\.4\.0\.0/24'
ok $? "meanwhile another network is chosen"
