# chosen.jq: from all runs of the search, prints PROGRAM|BALANCER|OPTION VALUE for
# each program and balancer: the value with the least sum of run times. A value counts
# only if it has as many runs as the others.

map(. + { setting: (.options | capture("(?<setting>--[a-z-]+ [0-9]+)$").setting) }) |
group_by([.program, .run.balancer])[] |
group_by(.setting) |
(map(length) | max) as $networks |
map(select(length == $networks)) |
min_by(map(.run.seconds) | add)[0] |
"\(.program)|\(.run.balancer)|\(.setting)"
