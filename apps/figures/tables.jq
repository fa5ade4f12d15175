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
# networks.
def by_balancer(measure; $digits; $networks):
	$all.balancers[] as $balancer |
	"", (["`\($balancer)`"] + ($networks | map(.title)) | head),
	(drawn_programs[] | .name as $program |
		[$program] + ($networks | map(
			find($program; .name; $balancer) | measure |
			shown($digits))) | row);

# beside_paper: efficiencies, with the paper's in brackets where it has one.
def beside_paper:
	def cell:
		"\(.efficiency_percent | shown(1))" +
			(.paper_efficiency_percent |
				if . then " (\(.))" else "" end);
	(["efficiency, %", "network"] + ($all.balancers | map("`\(.)`")) | head),
	($all.programs[].name |
		select(IN("integrate", "nqueens", "tsp", "raytracer")) as $program |
		drawn[] | .name as $network | [$program, .title] +
			[$all.balancers[] as $balancer |
				find($program; $network; $balancer) | cell] |
		row);

# runs_on_others: a line for each run on a network that is for some programs only.
def runs_on_others:
	(["", "network", "balancer", "run, s", "paper's, s", "efficiency, %",
		"paper's, %", "speedup", "communicating, %", "WAN messages",
		"WAN MB"] | head),
	($all.networks[] | select(.programs != "all") | .title as $title |
		.name as $network | $all.runs[] |
		select(.network == $network) |
		[.program, $title, "`\(.balancer)`", (.seconds | shown(1)),
			(.paper_seconds | shown(1)),
			(.efficiency_percent | shown(1)),
			(.paper_efficiency_percent | shown(1)),
			(.speedup | shown(2)),
			(.communicating_percent | shown(1)),
			(.wan_messages | shown(0)),
			(.wan_bytes / 1e6 | shown(1))] | row);

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
else error("no table \($table)") end
