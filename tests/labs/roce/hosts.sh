# shellcheck shell=sh
# hosts.sh: four hosts in two clusters, of which each has an Ethernet interface
# and a soft RoCE device on it:
#
#	east1 10.9.0.1 rxe1 --+          +-- west1 10.9.0.3 rxe3
#	                      east -- west
#	east2 10.9.0.2 rxe2 --+          +-- west2 10.9.0.4 rxe4
#
# Soft RoCE works in the first network namespace only (Linux 6.1: its socket
# is opened there). So the interfaces are all there, and the cables and the two
# bridges are in another; and rules of routing see to it that what goes from
# one address to another leaves by the interface of the one and comes in by
# that of the other, which the kernel would not do by itself.
hosts='east1 east2 west1 west2'

# address NUMBER, and so on: of a host, from 1.
address() {
	echo "10.9.0.$1"
}

in_switch() {
	ip netns exec switch "$@"
}

# The cable between the clusters: east's end is `wide0`, west's `wide1`. It has
# a large MTU, which leaves packets as they are.
make_switch() {
	ip netns add switch
	for cluster in east west; do
		ip -n switch link add $cluster type bridge
		ip -n switch link set $cluster up
	done
	ip -n switch link add wide0 type veth peer name wide1
	for end in 0 1; do
		ip -n switch link set wide$end mtu 9000 up
	done
	ip -n switch link set wide0 master east
	ip -n switch link set wide1 master west
}

# make_host NUMBER NAME CLUSTER
make_host() {
	ip link add "$2" type veth peer name "$2" netns switch
	ip -n switch link set "$2" mtu 9000 master "$3" up
	for setting in accept_local=1 rp_filter=0 arp_ignore=1 arp_announce=2; do
		echo ${setting#*=} >"/proc/sys/net/ipv4/conf/$2/${setting%=*}"
	done
	ip addr add "$(address $1)/24" dev "$2" noprefixroute
	ip link set "$2" mtu 9000 up
	ip rule add pref 10 iif "$2" lookup local
	ip rule add pref 20 from "$(address $1)" to "$(address $1)" lookup local
	ip route add 10.9.0.0/24 dev "$2" src "$(address $1)" table "10$1"
	ip rule add pref 30 from "$(address $1)" lookup "10$1"
	ip rule add pref 31 oif "$2" lookup "10$1"
	rdma link add "rxe$1" type rxe netdev "$2"
}

make_hosts() {
	ip link set lo up
	echo 0 >/proc/sys/net/ipv4/conf/all/rp_filter
	ip rule add pref 32000 lookup local
	ip rule del pref 0
	make_switch
	number=0
	for host in $hosts; do
		number=$((number + 1))
		make_host $number $host "${host%[0-9]}"
	done
}

# slow_link LATENCY BIT/S HEADERS: makes the cable between the clusters as slow,
# in each direction. HEADERS is what netem isn't to count of each packet.
slow_link() {
	for end in 0 1; do
		in_switch tc qdisc replace dev wide$end root netem \
			delay "$1" rate "$2" "-$3" limit 10000 || return
	done
}

fast_link() {
	for end in 0 1; do
		in_switch tc qdisc del dev wide$end root
	done
}
