#!/bin/sh
# loadnews.t: what news policies cost and how fast they are, in the model of
# Bustos and others; and the same policies on the nodes of a run.
. "$(dirname "$0")/tap.sh"

# model ARGUMENTS...: a run of the model, its values as shell variables.
model() {
	timeout 100 ./loadnews "$@" >"$scratch/row" 2>"$scratch/err" &&
		eval "$(awk 'NR == 1 { n = split($0, name) }
			NR == 2 {
				for (i = 2; i <= n; i++) {
					gsub(/[^a-zA-Z]/, "_", name[i])
					print name[i] "=" $i
				}
			}' "$scratch/row")"
}

# holds SENTENCE EXPRESSION: a comparison of numbers.
holds() {
	awk "BEGIN { exit !($2) }"
	status=$?
	[ $status = 0 ] || sed 's/^/# /' "$scratch/row"
	ok $status "$1"
}

model --policy none --nodes 200 --rounds 5
holds "about 20 % of the nodes are overloaded once if none balances" \
	"$once__ > 18 && $once__ < 25"
for policy in central lazy-central eager-central distributed lazy-distributed \
	eager-distributed; do
	model --policy $policy --nodes 40 --samples 100
	holds "$policy: the response is shorter than the period" \
		"$samples >= 100 && $mean_ms < 1000 && $left__ < 20"
done
holds "eager-distributed: it is zero" "$mean_ms == 0"
over=$over__
model --policy hearsay --nodes 40 --samples 100
holds "hearsay: it is less than a round trip" "$mean_ms < 1"
holds "hearsay sends at most 0.1 messages a node and second" "$all <= 0.1"
holds "hearsay: nodes are overloaded as often as by eager-distributed" \
	"$over__ < 1.2 * $over"
cp "$scratch/row" "$scratch/before"
model --policy hearsay --nodes 40 --samples 100
cmp -s "$scratch/row" "$scratch/before"
ok $? "a run of the model repeats exactly"
model --policy hearsay --nodes 5000 --rounds 1
holds "hearsay sends no more in a run of 5000 nodes" "$all <= 0.1"
holds "hearsay leaves no overloaded time there" "$over_ppm <= 0.002"
model --policy central --nodes 400 --rounds 1
holds "the server is saturated by 400 nodes" "$busy__ > 97"
complains 2 'no policy of that name' ./loadnews --policy gossip
ok $? "an unknown policy is refused"

# beside POLICY COMMAND...: Jacobi is right, and all messages arrive.
beside() {
	policy=$1
	shift
	prints '^jacobi(' env STN_NEWS="$policy" "$@" \
		--stats="json:$scratch/json" ./jacobi_news -r 60 -c 60 -n 40 \
		--part-rows 12 --part-columns 12 --block 1 &&
		grep -q '"hold": true' "$scratch/json"
}

# told: the number of TELL messages of the last run.
told() {
	awk '/"news-tell": {/ { here = 1 }
		here && /"lan_messages"/ { print $2 + 0; exit }' "$scratch/json"
}

for policy in central distributed lazy-distributed hearsay; do
	beside $policy ./sateen sim -n 16 --cost counted --unit-cost 2ms
	ok $? "$policy runs beside jacobi in virtual time"
done
beside central ./sateen sim -n 16 --cost counted --unit-cost 2ms
central=$(told)
beside distributed ./sateen sim -n 16 --cost counted --unit-cost 2ms
[ "$central" -gt 300 ] && [ "$(told)" -gt $((20 * central)) ]
ok $? "statistics count its messages: $central and $(told)"
STN_NEWS_NODES=100 beside eager-distributed ./sateen run -n 3 -w 1
ok $? "eager-distributed runs beside jacobi in the machine's time"
complains 1 'no news policy "gossip"' \
	env STN_NEWS=gossip ./sateen run -n 2 ./jacobi_news
ok $? "an unknown policy is refused there, too"

timeout 300 env AWK=awk "$source_directory/bench/news/news-003" --quick \
	>"$scratch/out" 2>&1
[ $? = 0 ] && grep -q '^eager-distributed .* 915.085 ' "$scratch/out"
status=$?
[ $status = 0 ] || sed 's/^/# /' "$scratch/out"
ok $status "all experiments of the paper run"

plan
