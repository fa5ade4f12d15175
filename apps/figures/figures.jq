# figures.jq: all runs of a sweep, in order, as one object. Needs $networks and
# $paper, the texts of these files without comments.

def lines: split("\n") | map(select(. != "") | split("|"));
def ratio($a; $b): if $b > 0 then $a / $b else null end;
def median:
	if any(. == null) or . == [] then null
	else sort | (.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2 end;

# Published numbers: {"PROGRAM|NETWORK|BALANCER": {MEASURE: VALUE}}.
(reduce ($paper | lines[]) as [$program, $network, $balancer, $numbers]
	({}; .[[$program, $network, $balancer] | join("|")] +=
		($numbers | split(",") | map(split(" ") | map(select(. != "")) |
			{ (.[0]): (.[1] | tonumber) }) | add))) as $published |
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

# measures: the results of a run, by name. A request is a steal request; a grant is
# its answer with a record. A node communicates while it waits for messages.
def measures:
	.run.seconds as $seconds |
	($sequential[.program] | if . then ratio(.; $seconds) else . end) as $speedup |
	$processors[.network] as $processors |
	.run.nodes as $nodes |
	.total |
	(.working_ns + .communicating_ns + .idle_ns) as $all_ns |
	(.granted_sync_wan + .granted_async_wan) as $wan_grants |
	((.communicating_ns + .idle_ns) / 1e9 / $nodes) as $communicating_s |
	{
		$seconds,
		$speedup,
		efficiency_percent: ($speedup |
			if . then 100 * . / $processors else . end),
		communicating_percent: ratio(100 * .communicating_ns; $all_ns),
		$communicating_s,
		communicating_overhead_percent: ($speedup | if . then
			100 * $communicating_s * $processors / (. * $seconds)
			else . end),
		lan_messages: .messages_lan,
		lan_mbytes: (.bytes_lan / 1e6),
		wan_messages: .messages_wan,
		wan_mbytes: (.bytes_wan / 1e6),
		wan_messages_per_s: ratio(.messages_wan; $seconds),
		mbytes_per_s: ratio((.bytes_lan + .bytes_wan) / 1e6; $seconds),
		wan_requests: (.asked_sync_wan + .asked_async_wan),
		$wan_grants,
		transfers: (.stolen_lan + .stolen_wan)
	};

# group: lists the runs that differ by their seeds only, which are neighbours.
def group:
	reduce .[] as $run ([]; if . != [] and
		(.[-1][0] | [.program, .network, .run.balancer]) ==
		($run | [.program, .network, .run.balancer])
		then .[-1] += [$run] else . + [[$run]] end);

# outcome: the medians of all measures of these runs, and their ranges.
def outcome:
	.[0] as $first | map(measures) as $measured |
	$published[[$first.program, $first.network, $first.run.balancer] |
		join("|")] as $paper |
	($first | { program, network, balancer: .run.balancer }) +
	($measured[0] | with_entries(.key as $name |
		.value = ($measured | map(.[$name]) | median))) +
	{
		setting: ($first.options |
			[capture("--(?<name>[a-z]+-threshold) (?<value>[0-9]+)")][0]),
		seeds: length,
		range: ($measured[0] | with_entries(.key as $name |
			.value = ($measured | map(.[$name]) | [min, max]))),
		paper: ($paper // {}),
		shares: (($first.total.work_units) as $work | $first.clusters |
			map(ratio(100 * .counts.work_units; $work)))
	};

{
	schema: "sateen-figures/3",
	sateen: .[0].sateen,
	commits: (map(.commit) | unique),
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
	runs: ($runs | group | map(outcome))
}
