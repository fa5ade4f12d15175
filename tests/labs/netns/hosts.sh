# shellcheck shell=sh
# hosts.sh: hosts made of namespaces, and the cables and switches between them.
#
#	host NAME			a host with process numbers of its own
#	front_end NAME			a host whose commands may enter other hosts
#	on NAME COMMAND...		runs a command there, in this directory
#	ssh NAME COMMAND...		the same by ssh, over the first cable
#	lan NAME			a switch
#	plug HOST DEVICE LAN ADDRESS/N	a cable from a host's device to a switch
#	uplink HOST DEVICE LAN ADDRESS/N LATENCY MBIT	a slow cable
#	leftovers HOST			lists processes that should have ended there
#
# Each host has a boot identity of its own, by which Sateen tells hosts apart.
# Namespaces and cables vanish with their processes, at the latest when `check`
# ends.

# make_host NAME OPTIONS...: @lab/NAME gets the number of its first process.
make_host() {
	host=$1
	shift
	ip netns add "$host"
	cat /proc/sys/kernel/random/uuid >"$lab/$host.boot"
	mkfifo "$lab/$host.ready"
	nsenter --net="/run/netns/$host" unshare --mount --uts --ipc "$@" \
		sh -c 'hostname "$1"
			mount --bind "$2.boot" /proc/sys/kernel/random/boot_id
			mount -t tmpfs shm /dev/shm
			mount -t sysfs sys /sys
			ip link set lo up
			echo ready >"$2.ready"
			trap "" CHLD # so that it reaps orphans
			exec sleep infinity' "$host" "$host" "$lab/$host" \
		>/dev/null 2>&1 &
	set -- $!
	read -r _ <"$lab/$host.ready"
	read -r child _ <"/proc/$1/task/$1/children" || :
	echo "${child:-$1}" >"$lab/$host"
	echo " $1 $child " >"$lab/$host.own"
	child=
}

host() {
	make_host "$1" --pid --fork --mount-proc
}

# A host's process namespace can be entered only from a namespace around it.
front_end() {
	make_host "$1"
}

# make_commands: makes the commands `on` and `ssh` in @lab/bin.
make_commands() {
	mkdir -p "$lab/bin"
	cat >"$lab/bin/on" <<-END
		#!/bin/sh
		entered=\$1
		shift
		[ -f "$lab/\$entered" ] || {
			echo "ssh: no host is called \$entered" >&2
			exit 255
		}
		exec nsenter --target \$(cat "$lab/\$entered") --mount --uts \\
			--ipc --net --pid --wdns="\$PWD" -- "\$@"
	END
	if [ "$ssh" = real ]; then
		make_ssh
	else
		make_like_ssh
	fi
	chmod +x "$lab/bin/on" "$lab/bin/ssh"
	PATH=$lab/bin:$PATH
}

# Makes `ssh` by OpenSSH, with keys and settings of its own.
make_ssh() {
	ssh-keygen -q -t ed25519 -N '' -f "$lab/key"
	cat >"$lab/sshd_config" <<-END
		HostKey $lab/key
		AuthorizedKeysFile $lab/key.pub
		PidFile none
		UsePAM no
		StrictModes no
		PermitRootLogin yes
	END
	cat >"$lab/ssh_config" <<-END
		IdentityFile $lab/key
		UserKnownHostsFile /dev/null
		StrictHostKeyChecking no
		LogLevel ERROR
	END
	printf '#!/bin/sh\nexec %s -F %s/ssh_config "$@"\n' \
		"$(command -v ssh)" "$lab" >"$lab/bin/ssh"
}

# Makes `ssh` without OpenSSH: [OPTIONS] HOST COMMAND. Like OpenSSH it passes no
# variables on.
make_like_ssh() {
	cat >"$lab/bin/ssh" <<-END
		#!/bin/sh
		while :; do
			case \$1 in
			-o) shift 2 ;;
			-*) shift ;;
			*) break ;;
			esac
		done
		host=\$1
		shift
		cd / && exec env -i PATH="\$PATH" HOME="\$HOME" LANG=C \\
			"$lab/bin/on" "\$host" sh -c "\$*"
	END
}

# serve_ssh HOST ADDRESS: starts an sshd there.
serve_ssh() {
	[ "$ssh" = real ] && [ ! -f "$lab/$1.sshd" ] || return 0
	printf 'Host %s\n\tHostName %s\n' "$1" "$2" >>"$lab/ssh_config"
	on "$1" sh -c 'mkdir -p /run/sshd; exec "$0" "$@"' "$(command -v sshd)" \
		-D -e -f "$lab/sshd_config" 2>"$lab/$1.sshd" &
	until_true grep listening "$lab/$1.sshd"
}

lan() {
	[ -e /run/netns/switch ] || ip netns add switch
	ip -n switch link add "$1" type bridge
	ip -n switch link set "$1" up
}

# attach HOST DEVICE LAN ADDRESS/N: connects a cable that has been made.
attach() {
	ip -n switch link set "$1.$2" master "$3" up
	ip -n "$1" address add "$4" dev "$2"
	ip -n "$1" link set "$2" up
}

plug() {
	ip link add "$2" netns "$1" type veth peer name "$1.$2" netns switch
	attach "$@"
	serve_ssh "$1" "${4%/*}"
}

# Can the kernel delay packets by netem?
have_netem() {
	ip netns add probe
	ip netns exec probe tc qdisc add dev lo root netem delay 1ms 2>/dev/null
	set -- $?
	ip netns delete probe
	return "$1"
}

uplink() {
	if [ "$wire" = netem ]; then
		plug "$1" "$2" "$3" "$4"
		ip netns exec "$1" tc qdisc add dev "$2" root netem \
			delay "$5" rate "$6mbit" limit 10000
		ip netns exec switch tc qdisc add dev "$1.$2" root netem \
			delay "$5" rate "$6mbit" limit 10000
		return
	fi
	mkfifo "$lab/$1.$2.wire"
	"$wire" "$5,$(($6 * 125))KB/s" "/run/netns/$1:$2" \
		"/run/netns/switch:$1.$2" >"$lab/$1.$2.wire" &
	read -r _ <"$lab/$1.$2.wire"
	attach "$@"
}

leftovers() {
	for process in $(ip netns pids "$1"); do
		grep -q " $process " "$lab/$1.own" ||
			tr '\0' ' ' <"/proc/$process/cmdline" | grep -v '^sshd:\|^nsenter '
	done 2>/dev/null # a process may end meanwhile
}
