# shellcheck shell=sh
# foreign.sh: foreign loads on the processors of a run, for tests and benchmarks
# that source this file. They have a directory $scratch, and call `hogs_end` at
# their end.

hog='' group='' group_file=''

# two_cores: sets $core and $other to the first two processors that this process
# may use. False, with the reason in $missing, if there is only one.
two_cores() {
	# shellcheck disable=SC2046 # words
	set -- $(awk '/^Cpus_allowed_list:/ {
		count = split($2, ranges, ",")
		for (i = 1; i <= count && shown < 2; i++) {
			last = split(ranges[i], ends, "-")
			for (c = ends[1]; c <= ends[last] && shown++ < 2; c++)
				print c
		}
	}' /proc/self/status)
	core=${1:-} other=${2:-}
	missing="two processors"
	[ -n "$other" ] || return 1
	missing=taskset
	command -v taskset >/dev/null
}

# hog_begin WORD... ARGUMENT...: starts a load on the processor $other, for example
# `hog_begin nice -n 10 ./hog "$other"`.
hog_begin() {
	"$@" &
	hog=$!
}

# hog_ran: prints for how many seconds the load has run.
hog_ran() {
	awk '{ print $1 / 1e9 }' "/proc/$hog/schedstat"
}

hog_end() {
	[ -n "$hog" ] || return 0
	kill "$hog"
	wait "$hog" 2>/dev/null || : # its status is that of the signal
	hog=
}

# make_group DIRECTORY FILE QUOTA: makes a control group there that may use the
# share QUOTA (two numbers: microseconds of each period) of a processor.
make_group() {
	group=$1/sateen-quota.$$
	mkdir "$group" 2>/dev/null || return 1
	case $2 in
	cpu.max) echo "$3" ;;
	*) echo "${3% *}" ;;
	esac 2>/dev/null >"$group/$2" && return
	rmdir "$group"
	return 1
}

# quota_begin VERSION QUOTA: makes a control group of that version, 1 or 2, in which
# processes get a quota. False, with the reason in $missing, if that is impossible.
quota_begin() {
	file=cpu.max type=cgroup2 own=$(sed -n 's/^0:://p' /proc/self/cgroup)
	if [ "$1" = 1 ]; then
		file=cpu.cfs_quota_us type='cgroup .*[ ,]cpu\([, ]\|$\)'
		own=$(sed -n 's/^[0-9]*:\([^:]*,\)\{0,1\}cpu\(,[^:]*\)\{0,1\}://p' \
			/proc/self/cgroup)
	fi
	mount=$(sed -n "s/^[^ ]* [^ ]* [^ ]* [^ ]* \([^ ]*\) .* - $type.*/\1/p" \
		/proc/self/mountinfo | head -n 1)
	missing="control groups of version $1 with the cpu controller"
	group=
	[ -n "$mount" ] || return 1
	[ "$1" = 1 ] || grep -qw cpu "$mount/cgroup.controllers" || return 1
	missing="the right to make control groups"
	for parent in "$mount$own" "$mount"; do
		[ ! -d "$parent" ] || make_group "$parent" $file "$2" || continue
		[ -z "$group" ] || break
	done
	[ -d "$group" ] || return 1
	missing="the right to move processes to control groups"
	if ! (sh -c 'echo $$ >"$1"' sh "$group/cgroup.procs") 2>/dev/null; then
		quota_end
		return 1
	fi
	# Node 1 enters the group, and starts its program.
	cat >"$scratch/limited" <<END
#!/bin/sh
[ "\$STN_RANK" != 1 ] || echo \$\$ >"$group/cgroup.procs" || exit
exec "\$@"
END
	chmod +x "$scratch/limited"
}

quota_end() {
	[ ! -d "$group" ] || rmdir "$group"
	group=
}

hogs_end() {
	hog_end
	quota_end
}
