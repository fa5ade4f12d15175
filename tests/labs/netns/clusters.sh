# shellcheck shell=sh
# clusters.sh: two clusters run a program together, each behind its gateway.

cities=$source_directory/apps/tsp/gr17.tsp
scene=$scratch/balls4.nff
awk -v level=3 -f "$source_directory/apps/raytracer/balls.awk" >"$scene"

# compare NAME PROGRAM...: one cluster and two clusters print what is expected, and
# the second cluster gets work. $one and $two are the times.
compare() {
	name=$1 program=$2
	shift 2
	alone a "./$program" "$@"
	one=$(seconds "$scratch/a.out")
	together --stats "./$program" "$@"
	ok $? "$name: both clusters end with success"
	two=$(seconds "$scratch/a.out")
	grep -v '^time:' "$scratch/a.out" | cmp -s - "$scratch/expected"
	ok $? "$name: two clusters find the same result as one processor"
	crossed=$(awk '/^stolen over WAN/ { print $4 }' "$scratch/a.err")
	[ "${crossed:-0}" -gt 0 ]
	ok $? "$name: work crossed the gateways"
	echo "# $name: one cluster of 2 nodes ${one:-?} s," \
		"two clusters of 2 nodes ${two:-?} s," \
		"$crossed records crossed the gateways"
}

# expect PROGRAM...: what it prints with --seq is expected.
expect() {
	program=$1
	shift
	"./$program" --seq "$@" >"$scratch/seq"
	grep -v '^time:' "$scratch/seq" >"$scratch/expected"
	echo "# sequential $(seconds "$scratch/seq") s"
}

expect tsp --bound distances "$cities"
compare "travelling salesman" tsp --bound distances "$cities"
expect raytracer -s 1024 "$scene"
compare "ray tracer" raytracer -s 1024 "$scene"
# The leaves sleep, so two clusters have twice the processors also on a machine
# that has fewer.
printf 'tree(2^11) = 2048 leaves\nwork: 20.480 s\n' >"$scratch/expected"
compare "tree" tree -b 2 -d 11 -l 10ms
echo "$one $two" | awk '{ exit !(NF == 2 && $1 > 1.5 * $2) }'
ok $? "tree: two clusters are 1.5 times as fast as one, or faster"
[ -z "$(leftovers a1)$(leftovers a2)$(leftovers b1)$(leftovers b2)$(leftovers a)$(leftovers b)" ]
ok $? "no process is left on any host"

# Records the traffic of two networks while each record contains a word.
word=unmistakable-plaintext dumps=
for lan in internet lan-a; do
	ip netns exec switch tcpdump -i $lan -s 0 -U -Z root \
		-w "$scratch/$lan.pcap" 2>"$scratch/$lan.dump" &
	dumps="$dumps $!"
	until_true grep 'listening on' "$scratch/$lan.dump"
done
together --stats ./netns-secret $word
ok $? "a program runs whose records contain a word"
# shellcheck disable=SC2086 # a list
kill $dumps && wait $dumps
inside=$(grep -a -o $word "$scratch/lan-a.pcap" | wc -l)
outside=$(grep -a -o $word "$scratch/internet.pcap" | wc -l)
size=$(wc -c <"$scratch/internet.pcap")
echo "# the word is $inside times in what the LAN carried," \
	"$outside times in the $size bytes that went outside"
[ "$inside" -gt 0 ]
ok $? "the word can be read in the traffic of the LAN, so the search works"
[ "$outside" = 0 ] && [ "$size" -gt 20000 ]
ok $? "the word can't be read in the traffic between the clusters"
