# shellcheck shell=sh
# ipv6.sh: two clusters with IPv6 only, inside and between them. Only ssh, which
# starts the nodes, uses IPv4.

# only_ipv6 HOST DEVICE ADDRESS: adds the address, and blocks IPv4 except ssh.
only_ipv6() {
	ip -n "$1" address add "$3/64" dev "$2" nodad
	ip netns exec "$1" nft -f - <<-END
		table ip four {
			chain input {
				type filter hook input priority 0;
				iif lo accept
				tcp dport 22 accept
				tcp sport 22 accept
				drop
			}
		}
	END
}

both() {
	ip -n "$1" -6 address flush dev "$2" scope global
	ip netns exec "$1" nft delete table ip four
}

only_ipv6 a wan0 2001:db8::1
only_ipv6 b wan0 2001:db8::2
only_ipv6 meet wan0 2001:db8::3
for host in a1 a2 b1 b2; do
	only_ipv6 $host lan0 "2001:db8:${host%?}::${host#?}"
done
for site in a b; do
	ip -n $site address add "2001:db8:$site::9/64" dev lan0 nodad
done
on meet redis-server --port 6380 --bind 2001:db8::3 --save '' \
	--protected-mode no >"$lab/redis6.log" 2>&1 &
until_true grep 'Ready to accept' "$lab/redis6.log"

! on a ping -c 1 -W 1 -q 203.0.113.2 >/dev/null 2>&1 &&
	on a ping -c 1 -W 5 -q 2001:db8::2 >/dev/null
ok $? "the front-ends reach each other by IPv6 only"
alone a --address 2001:db8:a::/64 ./nqueens 11 &&
	grep -qx 'nqueens(11) = 2680' "$scratch/a.out" &&
	grep -q '2001:db8:a::/64' "$scratch/a.err"
ok $? "the nodes of a cluster reach each other over IPv6"
sed 's/^/# /' "$scratch/a.err"

before=$meeting
meeting="[2001:db8::3]:6380"
together --address 2001:db8::/32 ./nqueens 12 &&
	grep -qx 'nqueens(12) = 14200' "$scratch/a.out"
ok $? "clusters meet and compute over IPv6, and nodes reach their gateway"
join_a="--address 2001:db8::1" join_b="--interface wan0 --wait 30s"
together --address 2001:db8::/32 ./nqueens 12 &&
	grep -qx 'nqueens(12) = 14200' "$scratch/a.out"
ok $? "one gateway is given its address, the other its interface"
join_a='' join_b=''
meeting=$before

for host in a1 a2 b1 b2; do
	both $host lan0
done
for host in a b meet; do
	both $host wan0
done
for site in a b; do
	ip -n $site -6 address flush dev lan0 scope global
done
