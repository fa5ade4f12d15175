# tables.jq: a table of figures.json as Markdown; $table is its name.

. as $all |
def shown($digits):
	if . == null then "-" else
		. * pow(10; $digits) | round | . / pow(10; $digits) | tostring |
		if $digits > 0 and (contains(".") | not) then . + ".0" else . end
	end;
def row: "| " + join(" | ") + " |";
def head: row, (map("---") | row);
def find($program; $network; $balancer):
	first($all.runs[] | select(.program == $program and
		.network == $network and .balancer == $balancer)) // {};
def drawn: $all.networks | map(select(.programs == "all"));
# drawn_programs: the programs that run on the drawn networks.
def drawn_programs:
	(drawn | map(.name)) as $drawn |
	[$all.runs[] | select(.network | IN($drawn[])) | .program] as $run |
	$all.programs | map(select(.name | IN($run[])));

# by_balancer(measure; digits; networks): a table for each balancer, programs by
# networks, and the value that the search has found for a setting.
def by_balancer(measure; $digits; $networks):
	$all.balancers[] as $balancer |
	([$all.runs[] | select(.balancer == $balancer) | .setting.name // empty] |
		first) as $setting |
	"", (["`\($balancer)`"] + ($networks | map(.title)) +
		($setting | if . then ["`--\(.)`"] else [] end) | head),
	(drawn_programs[] | .name as $program |
		[$program] + ($networks | map(
			find($program; .name; $balancer) | measure |
			shown($digits))) +
		($setting | if . then
			[find($program; $networks[0].name; $balancer).setting.value //
				"-"] else [] end) | row);

# least_most(measure; digits): the range over the seeds.
def least_most(measure; $digits):
	.range | measure | map(shown($digits)) |
	if .[0] == .[1] then .[0] else join(" to ") end;

def signed($digits): if . > 0 then "+" else "" end + shown($digits);

# beside_paper: run times and efficiencies of Table 2.1, the paper's and ours.
def beside_paper:
	(["program", "network", "balancer", "paper, s", "ours, s", "range",
		"difference, %", "paper, %", "ours, %", "range",
		"difference, points"] | head),
	(drawn_programs[].name as $program | $all.balancers[] as $balancer |
		drawn[] | .title as $title | find($program; .name; $balancer) |
		select(.paper.efficiency_percent and .efficiency_percent) |
		[$program, $title, "`\($balancer)`", (.paper.seconds | shown(1)),
			(.seconds | shown(1)), least_most(.seconds; 1),
			(100 * (.seconds / .paper.seconds - 1) | signed(1)),
			(.paper.efficiency_percent | shown(1)),
			(.efficiency_percent | shown(1)),
			least_most(.efficiency_percent; 1),
			(.efficiency_percent - .paper.efficiency_percent |
				signed(1))] | row);

# stated: all other published numbers of runs, and ours.
def stated:
	(drawn | map(.name)) as $drawn |
	(["program", "network", "balancer", "measure", "paper", "ours", "range",
		"difference, %"] | head),
	($all.runs[] | . as $run | (.network | IN($drawn[])) as $in_table |
		first($all.networks[] | select(.name == $run.network).title) as
			$title |
		.paper | to_entries[] |
		select(.key | in($run.range)) |
		select(($in_table and $run.paper.efficiency_percent and
			(.key | IN("seconds", "efficiency_percent"))) | not) |
		.key as $measure | .value as $value |
		(if $value < 100 then 1 else 0 end) as $digits |
		[$run.program, $title, "`\($run.balancer)`",
			($measure | gsub("_"; " ")), ($value | tostring),
			($run[$measure] | shown($digits)),
			($run | least_most(.[$measure]; $digits)),
			($run[$measure] | if . then 100 * (. / $value - 1) | signed(0)
				else "-" end)] | row);

# runs_on_others: a line for each run on a network that is for some programs only.
def runs_on_others:
	(["", "network", "balancer", "run, s", "efficiency, %", "range", "speedup",
		"communicating, %", "WAN messages", "WAN MB"] | head),
	($all.networks[] | select(.programs != "all") | .title as $title |
		.name as $network | $all.runs[] |
		select(.network == $network) |
		[.program, $title, "`\(.balancer)`", (.seconds | shown(1)),
			(.efficiency_percent | shown(1)),
			least_most(.efficiency_percent; 1),
			(.speedup | shown(2)),
			(.communicating_percent | shown(1)),
			(.wan_messages | shown(0)),
			(.wan_mbytes | shown(1))] | row);

# shares: how the work of GridLab's runs is distributed among clusters (Figure 4.2).
def shares:
	[$all.runs[] | select(.network | startswith("gridlab"))] as $runs |
	([$runs[].shares | length] | max // 0) as $clusters |
	(["network", "balancer"] + [range($clusters) | "cluster \(.), %"] | head),
	($runs[] | . as $run |
		first($all.networks[] | select(.name == $run.network).title) as
			$title |
		[$title, "`\(.balancer)`"] + (.shares | map(shown(1))) | row);

# commit: the commits whose programs have made the runs.
def commit:
	"All runs are of commit " + ($all.commits | join(", ")) + ".";

# kept_on(network; balancer): for each program, its speedup on this network as a
# percentage of its speedup on the first network.
def kept_on($network; $balancer):
	drawn[0].name as $first | [
		$all.programs[].name as $program |
		find($program; $first; $balancer).speedup as $alone |
		find($program; $network; $balancer).speedup as $speedup |
		select($alone and $speedup) |
		{ $program, percent: (100 * $speedup / $alone) }
	];

# kept: for each balancer and network, how many programs keep 95 % of their speedup,
# and the program that keeps least.
def kept:
	def cell:
		if . == [] then "-" else
			"\(map(select(.percent >= 95)) | length) of \(length)" +
			(min_by(.percent) |
				"; \(.program) \(.percent | shown(1)) %")
		end;
	(["keep 95 %; least"] + (drawn[1:] | map(.title)) | head),
	($all.balancers[] as $balancer | ["`\($balancer)`"] + (drawn[1:] |
		map(kept_on(.name; $balancer) | cell)) | row);

def sizes:
	(["program", "command", "costs", "sequential, s"] | head),
	($all.programs[] | [.name, "`\(.command)`",
		"`\(.costs)`",
		(.sequential_seconds | shown(1))] | row);

if $table == "sizes" then sizes
elif $table == "speedup" then by_balancer(.speedup; 1; drawn)
elif $table == "messages" then
	by_balancer(.wan_messages_per_s; 0; drawn[1:])
elif $table == "paper" then beside_paper
elif $table == "kept" then kept
elif $table == "others" then runs_on_others
elif $table == "stated" then stated
elif $table == "shares" then shares
elif $table == "commit" then commit
else error("no table \($table)") end
