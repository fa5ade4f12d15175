# shellcheck shell=sh
# can_run.sh: can hosts be made of namespaces here? Sourced before any is made.
# The commands in @probe succeed inside such namespaces if they can.

probe='mount -t tmpfs run /run && ip netns add host &&
	ip link add one netns host type veth peer name other &&
	ip link add lan type bridge'
why_not="no networks can be made here: run it as root, outside of a container, \
with a kernel that has namespaces, veth, bridges and nf_tables"

give_up() {
	echo "1..0 # SKIP $1"
	exit 0
}
