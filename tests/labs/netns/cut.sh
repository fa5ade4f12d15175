# shellcheck shell=sh
# cut.sh: cables are cut during a run.

long="./tree -b 2 -d 13 -l 10ms" # some 20 s on 4 nodes
short="./tree -b 2 -d 11 -l 10ms"

export STN_SURVIVE=no

# wait_report SITE: waits until the site's launcher prints a line; 20 s at most.
wait_report() {
	for _ in $(seq 200); do
		complaints "$scratch/$1.err" >"$scratch/lines" && return
		sleep 0.1
	done
}

# expect SENTENCE: the run ends on both sides, each prints one line in time, and
# no process is left.
expect() {
	began=$(date +%s)
	wait_report a
	wait_report b
	told=$(($(date +%s) - began))
	finish >/dev/null
	took=$(($(date +%s) - began))
	[ $status_a != 0 ] && [ $status_b != 0 ]
	ok $? "$1: the run ends on both sides"
	echo "# told after $told s, ended after $took s"
	[ $told -lt 20 ] && [ $took -lt 60 ]
	ok $? "  it is reported within 20 s, and ended within 60 s"
	for site in a b; do
		complaints "$scratch/$site.err" >"$scratch/lines"
		sed "s/^/# $site: /" "$scratch/lines"
		[ "$(wc -l <"$scratch/lines")" = 1 ]
		ok $? "  $site reports one line"
	done
	wait_empty a1 a2 b1 b2 a b
	ok $? "  no process is left on any host"
}

# Some 5 KB cross the cable between the clusters before the run begins.
# shellcheck disable=SC2086 # a command
begin $long
flows a.wan0 12000
cut a wan0
expect "the cable between the clusters is cut"
mend a wan0

# shellcheck disable=SC2086
begin $long
flows a.wan0 12000
cut b1 lan0
# ssh gives up a host that can't be reached any more after some seconds.
expect "a compute host's cable is cut"
mend b1 lan0

# A node that waits for cards of others gets no message about their absence.
held=$scratch/held
begin sh -c "[ \$(hostname) != b2 ] || until [ -e $held ]; do sleep 0.1; done
	exec $short"
for _ in $(seq 200); do
	on b1 ss -Htn state established | grep -qv ':22 ' && break
	sleep 0.1
done
cut b1 lan0
expect "a host's cable is cut while its node waits for others"
mend b1 lan0
touch "$held"

# shellcheck disable=SC2086
begin $short
flows a.wan0 12000
cut a wan0
sleep 1
mend a wan0
finish && grep -qx 'tree(2^11) = 2048 leaves' "$scratch/a.out"
ok $? "a run survives a cut of one second"
unset STN_SURVIVE
