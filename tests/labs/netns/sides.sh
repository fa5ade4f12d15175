# shellcheck shell=sh
# sides.sh: clusters of which not everybody can call everybody.

# closed SITE: its firewall lets nobody in, and SITE out.
closed() {
	ip netns exec "$1" nft -f - <<-END
		table inet wall {
			chain input {
				type filter hook input priority 0; policy drop;
				iif lo accept
				iifname lan0 accept
				ct state established,related accept
			}
		}
	END
}

open() {
	ip netns exec "$1" nft delete table inet wall
}

for site in a b; do
	closed $site
	together ./nqueens 12 && grep -qx 'nqueens(12) = 14200' "$scratch/a.out"
	ok $? "nobody can call $site, which calls the other"
	open $site
done
join_a='--wait 10s' join_b=$join_a
closed a
closed b
! together ./nqueens 12 >/dev/null
ok $? "two that nobody can call don't meet"
for site in a b; do
	sed "s/^/# $site: /" "$scratch/$site.err"
	[ "$(wc -l <"$scratch/$site.err")" = 1 ]
	ok $? "  $site says so in a line"
done
open a
open b
join_a='' join_b=''
