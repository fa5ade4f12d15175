# shellcheck shell=sh
# clusters.sh: two clusters run a program together, each behind its gateway.

cities=$source_directory/apps/tsp/gr17.tsp
scene=$scratch/balls4.nff
awk -v level=3 -f "$source_directory/apps/raytracer/balls.awk" >"$scene"

# compare NAME PROGRAM...: one cluster and two clusters print what --seq prints.
compare() {
	name=$1 program=$2
	shift 2
	"./$program" --seq "$@" >"$scratch/seq"
	grep -v '^time:' "$scratch/seq" >"$scratch/expected"
	alone a "./$program" "$@"
	one=$(seconds "$scratch/a.out")
	together "./$program" "$@"
	ok $? "$name: both clusters end with success"
	two=$(seconds "$scratch/a.out")
	grep -v '^time:' "$scratch/a.out" | cmp -s - "$scratch/expected"
	ok $? "$name: two clusters find the same result as one processor"
	echo "# $name: sequential $(seconds "$scratch/seq") s," \
		"one cluster of 2 nodes ${one:-?} s," \
		"two clusters of 2 nodes ${two:-?} s"
}

compare "travelling salesman" tsp --bound distances "$cities"
compare "ray tracer" raytracer -s 1024 "$scene"
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
