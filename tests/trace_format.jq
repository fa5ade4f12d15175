# trace_format.jq: the events of a trace that break the rules of the Trace Event
# Format, which Chrome's tracing and Perfetto read. A list; empty if all is well.
def number: type == "number";
def thread: "\(.pid) \(.tid)";
def complain(text): {(text): .};

.traceEvents as $all
| [$all[] | select(.ph == "M")] as $names
| [$all[] | select(has("bind_id") or has("flow_in") or has("flow_out"))] as $ends
| ([$names[] | select(.name == "thread_name") | {(thread): true}] | add) as $named
| [
	($all[] | select(.ph | IN("M", "X", "b", "e", "i") | not)
		| complain("phase")),
	($all[] | select((.pid | number) and (.tid | number)
			and (.name | type) == "string" | not)
		| complain("no process, thread or name")),
	($names[] | select((.name | IN("process_name", "thread_name"))
			and (.args.name | type) == "string" | not)
		| complain("metadata")),
	($names | group_by([.name, .pid, if .name == "thread_name" then .tid
			else 0 end])[] | select(length > 1)
		| complain("named twice")),
	($all[] | select(.ph != "M")
		| select((.ts | number) and .ts >= 0
			and (.cat | type) == "string" | not)
		| complain("no time or category")),
	($all[] | select(.ph != "M") | select($named[thread] | not)
		| complain("a thread without a name")),
	($all[] | select(.ph == "X") | select((.dur | number) and .dur >= 0 | not)
		| complain("no duration")),
	($all[] | select(.ph == "i")
		| select(.s | IN("g", "p", "t") | not) | complain("no scope")),
	($all[] | select(.ph | IN("b", "e")) | select(.id2.local == null)
		| complain("no id")),
	($ends | group_by(.bind_id)[]
		| select((map(select(.flow_out == true)) | length) != 1
			or (map(select(.flow_in == true)) | length) != 1
			or length != 2)
		| complain("an arrow without two ends")),
	($ends[] | select((.bind_id | tostring | test("^0x[0-9a-f]+$"))
			and .ph == "X" and .dur > 0 | not)
		| complain("an arrow without a slice"))
]
