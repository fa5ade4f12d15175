# shellcheck shell=sh
# world-004.sh: the machine of Dobber, Koole and van der Mei, CCGrid 2005, in
# virtual time. balance-004 and figures-004 set $here and source bench.sh and
# this file.
#
# The paper's grid has rows of 1000 points, and each iteration is repeated 50
# times. Here a row has 20 points, and a point takes 50 times as long and 50 times
# the bytes: a row takes 18.3 ms at speed 1, and the link of $wan has a fiftieth
# of its rate. A part of 100 rows computes half a row more at each of its two edges
# in each iteration: that is 1 % more work.

# shellcheck disable=SC2034 # some are for the scripts
columns=20 shrink=50 row_ns=18300000 part_rows=100 rows=5000 iterations=2000
wan=40ms,1MB/s

# slow_link: $wan with a fiftieth of its rate, which is in KB/s or MB/s.
slow_link() {
	echo "$wan" | $AWK -F, -v shrink=$shrink '{
		rate = $2 + 0
		if ($2 ~ /MB/) rate *= 1e6
		else if ($2 ~ /KB/) rate *= 1e3
		printf "%s,%.0fB/s", $1, rate / shrink
	}'
}

# perfect SPEEDS: the smallest time in which the work is done.
perfect() {
	$AWK -v work="$(echo "$rows $iterations $row_ns" |
		$AWK '{ print $1 * $2 * $3 / 1e9 }')" '
		/^#/ { next }
		/^@/ {
			now = $2 / 1000
			if (done + sum * (now - last) >= work) exit
			done += sum * (now - last)
			last = now
			next
		}
		{ sum += $2 - speed[$1]; speed[$1] = $2 }
		END { print last + (work - done) / sum }' "$1"
}

# simulate SCHEDULER SPEEDS OPTIONS...: the virtual time in seconds. Pushing (rp)
# sends nothing where no tasks are spawned; idle nodes that steal would fill the
# links and the trace with requests.
simulate() {
	scheduler=$1 speeds=$2
	shift 2
	simulate_grid $columns $columns --wan "$(slow_link)" --cost counted \
		--speeds "$speeds" --scheduler "$scheduler" "$@"
}

# simulate_wide PART_COLUMNS SCHEDULER SPEEDS: the same of a grid whose rows have the
# paper's 1000 points, and links as they are, without data.
simulate_wide() {
	simulate_grid 1000 "$1" --wan "$wan" --cost hollow --speeds "$3" \
		--scheduler "$2"
}

# simulate_grid COLUMNS PART_COLUMNS OPTIONS...: the virtual time in seconds.
simulate_grid() {
	grid_columns=$1 part_columns=$2
	shift 2
	timeout 3000 ./sateen sim --clusters 4x1 --balancer rp \
		--unit-cost $((row_ns / grid_columns))ns "$@" ./sor \
		-r "$rows" -c "$grid_columns" -n "$iterations" --block 1 \
		--part-rows "$part_rows" --part-columns "$part_columns" \
		2>"$scratch/err" >"$scratch/out" || {
		echo "${0##*/}: failed: $(tail -n 1 "$scratch/err")" >&2
		exit 1
	}
	sed -n 's/^sateen: simulated .* nodes for \(.*\) s in .*/\1/p' \
		"$scratch/err"
}

# make_world SEED: writes the speeds of the world to $scratch/speeds.
make_world() {
	./loads --kind paper004 --seed "$1" --duration 1000000s \
		>"$scratch/speeds"
}
