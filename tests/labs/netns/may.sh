# shellcheck shell=sh
# may.sh: what it takes to make hosts of namespaces; sourced before there are
# any. @probe says by its status, inside such namespaces, whether that is here.

probe='mount -t tmpfs run /run && ip netns add host &&
	ip link add one netns host type veth peer name other &&
	ip link add lan type bridge'
why_not="no networks can be made here: run it as root, outside of a container, \
with a kernel that has namespaces, veth, bridges and nf_tables"

give_up() {
	echo "1..0 # SKIP $1"
	exit 0
}
