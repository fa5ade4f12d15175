# shellcheck shell=sh
# hosts.sh: four hosts in two clusters. Each host has an Ethernet interface, and
# a soft RoCE device on it:
#
#	east1 10.9.0.1 rxe1 --+          +-- west1 10.9.0.3 rxe3
#	                      east -- west
#	east2 10.9.0.2 rxe2 --+          +-- west2 10.9.0.4 rxe4
#
# Soft RoCE works only in the first network namespace (Linux 6.1 opens its
# socket there). So all interfaces are in that namespace; the cables and the two
# bridges are in another one. By itself the kernel would not send packets
# between its own addresses over a cable. Routing rules make each packet leave
# by the interface of its source address and arrive by that of its destination.
hosts='east1 east2 west1 west2'

# address NUMBER: the address of a host, counted from 1.
address() {
	echo "10.9.0.$1"
}

in_switch() {
	ip netns exec switch "$@"
}

# The cable between the clusters: east's end is `wide0`, west's `wide1`. Its MTU
# is so large that it doesn't split packets.
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

# make_host NUMBER NAME CLUSTER: interface, cable, routing and RoCE device.
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

# slow_link LATENCY BIT/S HEADERS: makes the cable between the clusters slow in
# both directions. netem doesn't count HEADERS bytes of each packet.
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
