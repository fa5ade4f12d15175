#!/bin/sh
# sshd.t: sateen run --hosts with OpenSSH. The test starts a server on this
# machine, with its own keys, port and configuration. The home directory of its
# logins is empty, because a shell's start-up file may print something.
. "$(dirname "$0")/tap.sh"

sshd=$(PATH=$PATH:/usr/sbin command -v sshd)
if [ -z "$sshd" ] || ! command -v ssh ssh-keygen >"$scratch/log"; then
	skip "runs by OpenSSH" "sshd (openssh-server, openssh-client)"
	plan
fi

for key in server mine other; do
	ssh-keygen -q -t ed25519 -N '' -f "$scratch/$key"
done
cp "$scratch/mine.pub" "$scratch/allowed"
mkdir "$scratch/home"
port=$(perl -MSocket -e 'socket(S, PF_INET, SOCK_STREAM, 0);
	bind(S, sockaddr_in(0, inet_aton("127.0.0.1"))) && print
	((sockaddr_in(getsockname(S)))[0])')
cat >"$scratch/config" <<END
ListenAddress 127.0.0.1:$port
HostKey $scratch/server
AuthorizedKeysFile $scratch/allowed
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PidFile none
SetEnv HOME=$scratch/home
END
[ "$(id -u)" != 0 ] || mkdir -p /run/sshd
"$sshd" -D -e -f "$scratch/config" 2>"$scratch/sshd" &
server=$!
listens() {
	grep -q 'listening on' "$scratch/sshd"
}
listens_or_ended() {
	listens || ! kill -0 $server
}
until_true listens_or_ended
if ! listens; then
	skip "runs by OpenSSH" "permission to run an sshd"
	plan
fi
printf '127.0.0.1 slots=2\nlocalhost\n' >"$scratch/hosts"
sed "s/^/[127.0.0.1]:$port,[localhost]:$port /; s/ [^ ]*$//" \
	"$scratch/server.pub" >"$scratch/known"

# by KEY OPTIONS...: the ssh command with this key and further options.
by() {
	key=$1
	shift
	echo ssh -F none -p "$port" -i "$scratch/$key" -o IdentitiesOnly=yes \
		-o UserKnownHostsFile="$scratch/known" \
		-o GlobalKnownHostsFile=/dev/null \
		-o StrictHostKeyChecking=yes "$@"
}

# The login fails if the account is locked.
if ! $(by mine -o BatchMode=yes) 127.0.0.1 true >"$scratch/log" 2>&1; then
	sed 's/^/# /' "$scratch/log" "$scratch/sshd"
	skip "runs by OpenSSH" "a login by key"
	plan
fi

prints '^fib(20) = 6765$' ./sateen run --hosts "$scratch/hosts" \
	--ssh "$(by mine)" ./fib 20
ok $? "two hosts by OpenSSH"
yes | head -n 100000 | timeout 100 ./sateen run --hosts "$scratch/hosts" \
	--ssh "$(by mine)" sh -c '[ $STN_RANK != 0 ] || cat; exec ./fib 5' |
	grep -c '^y$' >"$scratch/out"
grep -q '^100000$' "$scratch/out"
ok $? "input and output pass"
complains 1 'node [12] on [a-z0-9.]* died during the run: signal 9' \
	./sateen run --survive no --hosts "$scratch/hosts" --ssh "$(by mine)" ./die abroad
ok $? "a node that is killed is named"
complains 1 'host 127.0.0.1: lost its agent, and 2 nodes with it (ssh' \
	./sateen run --hosts "$scratch/hosts" --ssh "$(by mine)" \
	sh -c '[ $STN_RANK = 0 ] && kill -9 $PPID; exec ./die wait'
ok $? "an agent that is killed is named, with its host"
complains 1 'host [a-z0-9.]*: .*Permission denied (publickey' \
	./sateen run --hosts "$scratch/hosts" --ssh "$(by other)" ./fib 5
ok $? "a rejected key is reported"
complains 1 'host [a-z0-9.]*: Host key verification failed' \
	./sateen run --hosts "$scratch/hosts" \
	--ssh "$(by mine -o HostKeyAlias=stranger)" ./fib 5
ok $? "and an unknown host key"
complains 1 'host [a-z0-9.]*: no Sateen runs there as /no/sateen (.*No such' \
	./sateen run --hosts "$scratch/hosts" --ssh "$(by mine)" \
	--remote /no/sateen ./fib 5
ok $? "and a host without Sateen"
printf 'no-such-host.invalid\n' >"$scratch/hosts"
complains 1 'host no-such-host.invalid: ssh: Could not resolve' \
	./sateen run --hosts "$scratch/hosts" --ssh "$(by mine)" ./fib 5
ok $? "and a host that does not exist"

plan
