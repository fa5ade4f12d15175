# series.jq: turns figures.json into the data of bars.gp, for one balancer: a line
# for each program and a column for each network. With another $measure than
# "speedup" the first network, which has no WAN, is left out.

. as $all |
(.networks | map(select(.programs == "all")) |
	if $measure == "speedup" then . else .[1:] end) as $networks |
[.runs[] | select(.network | IN($networks[].name)) | .program] as $run |
(["program"] + ($networks | map(.title)) | @tsv),
(.programs[].name | select(IN($run[])) as $program |
	[$program] + ($networks | map(.name as $network |
		first($all.runs[] | select(.program == $program and
			.network == $network and .balancer == $balancer)) // {} |
		.[$measure] // "-")) | @tsv)
