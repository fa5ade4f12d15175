# shellcheck shell=sh
# sides.sh: firewalls allow connections between the clusters in one direction.

# closed SITE: its firewall refuses connections from outside; it can call out.
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
	ok $? "$site refuses connections, but connects to the other cluster itself"
	open $site
done
join_a='--wait 10s' join_b=$join_a
closed a
closed b
! together ./nqueens 12 >/dev/null
ok $? "two clusters that both refuse connections don't meet"
for site in a b; do
	sed "s/^/# $site: /" "$scratch/$site.err"
	[ "$(wc -l <"$scratch/$site.err")" = 1 ]
	ok $? "  $site reports that in one line"
done
open a
open b
join_a='' join_b=''
