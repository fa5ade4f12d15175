# trace_format.jq: the events of a trace that break the rules of the Trace Event
# Format, which Chrome's tracing and Perfetto read. A list; empty if all is well.
def number: type == "number";
def thread: "\(.pid) \(.tid)";
def complain(text): {(text): .};

.traceEvents as $all
| [$all[] | select(.ph == "M")] as $names
| [$all[] | select(.ph | IN("s", "f"))] as $ends
| ([$names[] | select(.name == "thread_name") | {(thread): true}] | add) as $named
| ([$all[] | select(.ph == "X")] | group_by(thread)
	| [.[] | {(.[0] | thread): .}] | add // {}) as $slices
# Readers bind an end of an arrow to the slice of its thread that encloses it.
| def enclosed:
	. as $at
	| any($slices[thread][]?;
		.ts <= $at.ts and $at.ts <= .ts + .dur + 0.0001);
[
	($all[] | select(.ph | IN("M", "X", "s", "f", "b", "e", "i") | not)
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
	($all[] | select(.ph | IN("b", "e")) | select(has("id") | not)
		| complain("no id")),
	($ends | group_by(.id)[] | select((map(.ph) | sort) != ["f", "s"]
			or .[0].cat != .[1].cat or .[0].name != .[1].name)
		| complain("an arrow without two ends")),
	($ends[] | select(.ph == "f" and .bp != "e") | complain("no bp")),
	($ends[] | select(enclosed | not) | complain("an arrow without a slice"))
]
