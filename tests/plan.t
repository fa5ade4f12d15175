#!/bin/sh
# plan.t: the transports that nodes of one host and of several hosts choose. The
# hosts are pretended (STN_PRETEND_HOST): all are this host, and reach each other
# by its loopback interface.
. "$(dirname "$0")/tap.sh"

# on_hosts N COMMAND: rank r is on host r/N
on_hosts() {
	echo "STN_PRETEND_HOST=\$((STN_RANK / $1)) exec $2"
}

# run_on N OPTIONS...: fib on four nodes, N on each host.
run_on() {
	each=$1
	shift
	prints '^fib(20) = 6765$' ./sateen run -n 4 "$@" \
		sh -c "$(on_hosts "$each" './fib 20')"
}

# says PATTERN: does one line of Sateen on stderr match, and is it the only one?
# (Sanitizers print lines of their own.)
says() {
	grep '^sateen' "$scratch/err" | sed 's/^/# /'
	[ "$(grep -c '^sateen' "$scratch/err")" = 1 ] &&
		grep '^sateen' "$scratch/err" | grep -q -e "$1"
}

# stands TRANSPORT: do the statistics name it?
stands() {
	grep -q "\"transport\": \"$1\"" "$scratch/stats"
}

prints '^between hosts' ./sateen info
ok $? "sateen info lists the fabrics"
grep -q '^  lo  *network ' "$scratch/out"
ok $? "  and the network interfaces"
grep -q '^  [a-z].*  *no: ' "$scratch/out"
ok $? "  and why a fabric can't be used"

prints '^fib(20) = 6765$' ./sateen run -n 3 "--stats=json:$scratch/stats" \
	./fib 20 && stands shm && [ ! -s "$scratch/err" ]
ok $? "on one host by shared memory, without a message"

if ! have_ofi; then
	skip "several hosts" "libfabric-dev"
	plan
fi

loopback='--address 127.0.0.1'
json="--stats=json:$scratch/stats"
run_on 2 $loopback "$json" && stands shm+ofi &&
	says '^sateen: 4 nodes on 2 hosts: shm inside, net on .*(lo.*) between$'
ok $? "shared memory inside hosts, TCP between"
run_on 1 $loopback "$json" && stands ofi &&
	says '4 nodes on 4 hosts: net on'
ok $? "only TCP where each node has a host of its own"
run_on 2 $loopback --near no "$json" && stands ofi &&
	says '4 nodes on 2 hosts: net on'
ok $? "only TCP with --near no"
run_on 2 $loopback --transport ofi --provider net "$json" &&
	stands shm+ofi && says 'shm inside, net on 127.0.0.0/8'
ok $? "--transport and --provider name the fabric between hosts"
run_on 2 --address 127.0.0.0/8 && says 'net on 127.0.0.0/8'
ok $? "a network stands for each host's address in it"
run_on 2 --interface lo && says 'net on 127.0.0.0/8'
ok $? "and so does an interface"
run_on 2 $loopback --clusters 2 --wan 5ms,1MB/s "$json" && stands shm+ofi
ok $? "links are emulated between hosts as well"
run_on 4 --transport ofi --near yes "$json" && stands shm+ofi
ok $? "shared memory and another transport on one host, if both are asked for"

# refused PATTERN OPTIONS...
refused() {
	pattern=$1
	shift
	complains 1 "$pattern" ./sateen run -n 4 "$@" \
		sh -c "$(on_hosts 2 './fib 20')"
	ok $? "is refused, naming \"$pattern\": $*"
}

refused 'shm serves one host, and there are 2' --transport shm
refused 'same address\|no network interface' --near auto
refused 'no interface carrier0; it has .*lo' --interface carrier0
refused 'address 198.51.100.7: host .* has no such' --address 198.51.100.7
refused 'no provider "pigeon"' $loopback --provider pigeon
refused 'device mlx5_99: there is no such' $loopback --device mlx5_99
refused 'device lo: there is no such' --transport ofi --provider tcp --device lo
complains 1 'device mlx5_99: there is no such' ./sateen run -n 2 \
	--device mlx5_99 ./fib 5
ok $? "a missing device is refused on a single host as well"
complains 2 'near is "far"; it can be yes, no or auto' ./sateen run -n 2 \
	--near far ./fib 5
ok $? "--near far is refused"
for ports in 9-1 0 x 1-70000 7-; do
	complains 2 "ports are \"$ports\"" ./sateen run -n 2 --ports $ports \
		./fib 5
	ok $? "--ports $ports is refused"
done

if unshare --pid --fork true 2>/dev/null; then
	prints '^fib(20) = 6765$' ./sateen run -n 2 "$json" \
		unshare --pid --fork ./fib 20 && stands shm+ofi
	ok $? "nodes that don't see each other's processes use TCP"
else
	skip "containers" "permission to make process namespaces"
fi
plan
