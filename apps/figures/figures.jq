# figures.jq: all runs of a sweep, in order, as one object. Needs $networks and
# $paper, the texts of these files without comments.

def lines: split("\n") | map(select(. != "") | split("|"));
def ratio($a; $b): if $b > 0 then $a / $b else null end;

(reduce ($paper | lines[]) as
	[$program, $network, $balancer, $seconds, $percent]
	({}; .[[$program, $network, $balancer] | join("|")] = {
		seconds: ($seconds | tonumber),
		percent: ($percent | tonumber)
	})) as $published |
($networks | lines | map({
	name: .[0],
	title: .[1],
	programs: .[2],
	processors: (.[3] | tonumber)
})) as $all |
(map(select(.network == "sequential") | { (.program): .run.seconds }) | add //
	{}) as $sequential |
(reduce $all[] as $network ({}; .[$network.name] = $network.processors)) as
	$processors |
map(select(.network != "sequential")) as $runs |

# outcome: the results of a run.
def outcome:
	.run.seconds as $seconds | .network as $network |
	ratio($sequential[.program] // 0; $seconds) as $speedup |
	$published[[.program, .network, .run.balancer] | join("|")] as $paper |
	(.total | .working_ns + .communicating_ns + .idle_ns) as $all_ns |
	{
		program, network,
		balancer: .run.balancer,
		$seconds,
		$speedup,
		efficiency_percent: ($speedup |
			if . then 100 * . / $processors[$network] else . end),
		paper_seconds: $paper.seconds,
		paper_efficiency_percent: $paper.percent,
		communicating_percent: ratio(100 * .total.communicating_ns;
			$all_ns),
		wan_messages: .total.messages_wan,
		wan_bytes: .total.bytes_wan,
		wan_messages_per_s: ratio(.total.messages_wan; $seconds),
		wan_bytes_per_s: ratio(.total.bytes_wan; $seconds),
		wan_requests: (.total.asked_sync_wan + .total.asked_async_wan),
		wan_grants: (.total.granted_sync_wan + .total.granted_async_wan)
	};

{
	schema: "sateen-figures/1",
	sateen: .[0].sateen,
	networks: $all,
	balancers: (reduce $runs[].run.balancer as $one ([];
		if any(.[]; . == $one) then . else . + [$one] end)),
	programs: map(select(.network == "sequential") | {
		name: .program,
		command: (.run.command | join(" ")),
		costs: (.options |
			capture("--cost counted (?<costs>.*) --balancer").costs),
		sequential_seconds: .run.seconds
	}),
	runs: ($runs | map(outcome))
}
