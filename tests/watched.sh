# shellcheck shell=sh
# watched.sh: runs that last as long as a test needs, for tests that source it
# behind tap.sh. The program watched does its work, reports its progress, and
# then waits for a line from a fifo.

mkfifo "$scratch/fifo"

# start COMMAND...: starts a run of watched in the background, whose launcher has
# the number $run.
start() {
	: >"$scratch/run.err" # the last run's address is not this run's
	"$@" >"$scratch/run.out" 2>"$scratch/run.err" </dev/null &
	watched_pid=$!
	run=$watched_pid
}

# finish: ends the run; its status. Nothing reads the fifo if the program has died.
finish() {
	timeout 60 sh -c 'echo go >"$1"' sh "$scratch/fifo" ||
		kill "$watched_pid"
	wait "$watched_pid"
	finish_status=$?
	[ $finish_status = 0 ] || sed 's/^/# /' "$scratch/run.err"
	return $finish_status
}

# page: gets the metrics of the run that serves them, as top reads them.
page() {
	curl -s -f "$url" >"$scratch/page"
}

# served: true when the launcher has said where it serves the metrics.
served() {
	url=$(sed -n 's/^sateen: metrics are at //p' "$scratch/run.err")
	[ -n "$url" ]
}

# metric PATTERN: prints the value of the metric whose line begins like this.
metric() {
	page && sed -n "s/^$1 //p" "$scratch/page"
}

# metric_is PATTERN VALUE
metric_is() {
	[ "$(metric "$1")" = "$2" ]
}
