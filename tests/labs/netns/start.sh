# shellcheck shell=sh
# start.sh: cables are cut while a run starts. It ends, with a line and without a
# process that waits for ever, or goes on if it has begun before.

long="./tree -b 2 -d 11 -l 10ms"
result='tree(2^11) = 2048 leaves'

# runs_there HOST COMMAND: does a process of this command run there?
runs_there() {
	leftovers "$1" | grep -q "$2"
}

# at_once HOST COMMAND CUT DEVICE: cuts the cable as soon as that command runs there.
at_once() {
	for _ in $(seq 2000); do
		! runs_there "$1" "$2" || break
		sleep 0.01
	done
	cut "$3" "$4"
}

# settled SITE: has the site ended well, or with a line and another status?
settled() {
	eval "status=\$status_$1"
	case $status in
	0) grep -qx "$result" "$scratch/$1.out" || [ "$1" = b ] ;;
	124 | 137) return 1 ;;
	*) complaints "$scratch/$1.err" | grep -q '^sateen' ;;
	esac
}

# settles SENTENCE: all sites have settled, within 60 s, and nothing is left.
settles() {
	began=$(date +%s)
	finish >"$scratch/statuses"
	took=$(($(date +%s) - began))
	settled a && settled b && [ $took -lt 60 ]
	settled=$?
	[ $settled = 0 ] || cat "$scratch/statuses"
	for site in a b; do
		complaints "$scratch/$site.err" | sed "s/^/# $site: /"
	done
	echo "# ended after $took s"
	ok $settled "$1"
	wait_empty a1 a2 b1 b2 a b
	ok $? "  no process is left on any host"
}

# one_cluster COMMAND: a run of one cluster; the cable of its second host is cut when
# that command runs there.
one_cluster() {
	# shellcheck disable=SC2086 # a command
	(
		printf 'a1\na2\n' >"$lab/hosts.a"
		exec timeout 100 on a ./sateen run --hosts "$lab/hosts.a" \
			--workers 1 $long >"$scratch/a.out" 2>"$scratch/a.err" \
			</dev/null
	) &
	alone=$!
	at_once a2 "$1" a2 lan0
	began=$(date +%s)
	wait $alone
	status_a=$?
	took=$(($(date +%s) - began))
	complaints "$scratch/a.err" | sed 's/^/# /'
	echo "# status $status_a, ended after $took s"
	settled a && [ $took -lt 60 ]
	ok $? "survive $STN_SURVIVE: a host is cut off when $1 runs there"
	wait_empty a1 a2 a
	ok $? "  no process is left on any host"
	mend a2 lan0
}

for STN_SURVIVE in no yes; do
	export STN_SURVIVE
	one_cluster 'sateen agent'
	one_cluster ./tree
	# shellcheck disable=SC2086 # a command
	begin $long
	at_once b1 ./tree b1 lan0
	settles "survive $STN_SURVIVE: a host of a cluster is cut off"
	mend b1 lan0
done
STN_SURVIVE=no
# shellcheck disable=SC2086
begin $long
at_once b1 ./tree a wan0
settles "the cable between the clusters is cut"
mend a wan0
unset STN_SURVIVE
