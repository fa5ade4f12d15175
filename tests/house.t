#!/bin/sh
# house.t: the layers hold, the library exports what it should, and what is
# installed can be used.
. "$(dirname "$0")/tap.sh"

# includes DIRECTORY PATTERN: no file there includes what matches.
includes_none() {
	found=$(grep -rnE "#include [<\"]($2)" "$source_directory/$1" \
		--include='*.[ch]')
	[ -z "$found" ] || echo "$found" | sed 's/^/# /'
	[ -z "$found" ]
	ok $? "nothing in $1 includes $2"
}

includes_none transport 'steal/|emul/|apps/|tests/'
includes_none emul 'steal/|apps/|tests/'
includes_none steal 'emul/|apps/|tests/|transport/(ops.h|ofi|shm|ucx|verbs)|rdma/'
includes_none apps 'emul/|tests/'
# Benchmarks of what programs don't see look inside, and gateways are no program.
inside='apps/bench/fabric/\|apps/bench/steal/\|apps/sateen/join'
! grep -rnE '#include [<"](steal/|transport/)' "$source_directory/apps" \
	--include='*.[ch]' | grep -v "$inside"
ok $? "nothing else in apps includes steal/ or transport/"

found=$(grep -rlE 'clock_gettime|gettimeofday|\btime\(' \
	"$source_directory/steal" --include='*.c' | grep -v '/launch/launch.c$')
[ -z "$found" ]
ok $? "nothing in steal but the launcher asks the machine for the time $found"

library=.libs/libsateen.so
if [ -f $library ]; then
	nm -D --defined-only $library | awk '{ print $3 }' | sort \
		>"$scratch/symbols"
	grep -v '^stn_' "$scratch/symbols" | sed 's/^/# /'
	! grep -qv '^stn_' "$scratch/symbols"
	ok $? "the library exports only names that begin with stn_"
	[ "$(wc -l <"$scratch/symbols")" -lt 16 ]
	ok $? "and few of them"
else
	skip "exported symbols" "a shared library"
fi

# A user's own program, against what make install installs.
if make -s install DESTDIR="$scratch/root" >"$scratch/log" 2>&1; then
	ok 0 "make install"
else
	sed 's/^/# /' "$scratch/log"
	ok 1 "make install"
fi
prefix=$(sed -n 's/^prefix = //p' Makefile)
root=$scratch/root$prefix
[ -f "$root/include/sateen.h" ] && [ -f "$root/lib/pkgconfig/sateen.pc" ] &&
	[ -x "$root/bin/sateen" ]
ok $? "header, sateen.pc and sateen are installed"

cc=$(sed -n 's/^CC = //p' Makefile)
sanitize=$(sed -n 's/^STN_SANITIZE = //p' Makefile)
static= # a static library brings others
[ -f $library ] || static=--static
flags=$(PKG_CONFIG_PATH="$root/lib/pkgconfig" pkg-config $static \
	--define-variable=prefix="$root" --cflags --libs sateen)
sed -n '/^ \*	STN_TASK(long, fib/,/^ \* The model/p' \
	"$source_directory/steal/sateen.h" | sed '$d; s/^ \*	\{0,1\}//' \
	>"$scratch/body"
{
	echo '#include <sateen.h>'
	echo '#include <stdlib.h>'
	cat "$scratch/body"
} >"$scratch/example.c"
# shellcheck disable=SC2086 # flags
$cc -Wall -Wextra -Werror -O2 $sanitize -o "$scratch/example" \
	"$scratch/example.c" $flags 2>"$scratch/log"
status=$?
[ $status = 0 ] || sed 's/^/# /' "$scratch/log"
ok $status "the example in sateen.h compiles without a warning"
export LD_LIBRARY_PATH="$root/lib"
prints '^6765$' "$scratch/example" 20
ok $? "and runs"
if have_ofi; then
	prints '^6765$' "$root/bin/sateen" run -n 3 "$scratch/example" 20
	ok $? "also on three nodes, by the installed sateen"
fi

# The compiler helps.
cat >"$scratch/wrong.c" <<'END'
#include <sateen.h>
STN_TASK(long, twice, long, n) { return 2 * n; }
STN_MAIN(argc, argv) { STN_SPAWN(twice); return (int)STN_SYNC(twice); }
END
! $cc -I"$source_directory/steal" -c -o /dev/null "$scratch/wrong.c" \
	2>"$scratch/log"
ok $? "a call with too few arguments is no program"
grep -q 'too few arguments' "$scratch/log"
ok $? "and the compiler says that"

# refuses CODE WORDS WHAT: what the compiler says of CODE has these WORDS.
refuses() {
	printf '#include <sateen.h>\n%s\n' "$1" >"$scratch/wrong.c"
	if $cc -Wall -Werror -I"$source_directory/steal" -c -o /dev/null \
		"$scratch/wrong.c" 2>"$scratch/log"; then
		ok 1 "$3"
	else
		grep -q "$2" "$scratch/log"
		ok $? "$3, says the compiler"
	fi
}

twice='STN_TASK(long, twice, long, n) { return 2 * n; }'
refuses "$twice
STN_MAIN(argc, argv) { STN_SPAWN(twice, 1, 2); return STN_SYNC(twice); }" \
	'too many arguments' "a call with too many arguments is no program"
refuses "$twice
STN_MAIN(argc, argv) { STN_SPAWN(twice, argv); return STN_SYNC(twice); }" \
	'makes integer from pointer\|incompatible pointer to integer' \
	"nor one with an argument of another type"
refuses "$twice
STN_MAIN(argc, argv) { STN_SPAWN(twice, 1); char *x = STN_SYNC(twice);
	return !x; }" \
	'makes pointer from integer\|incompatible integer to pointer' \
	"nor a sync for a result of another type"
refuses 'STN_TASK(long, twice, long, n, int) { return 2 * n; }' \
	'PAIR_OF_TYPE_AND_NAME' "arguments are pairs of type and name"
refuses 'struct wide { char c[89]; };
STN_TASK(long, twice, struct wide, w) { return 2; }' \
	'the arguments of task twice take more than 88 bytes' \
	"too large arguments go into a buffer"
refuses 'struct wide { char c[89]; };
STN_TASK(struct wide, twice, int, n) { struct wide w = {""}; return w; }' \
	'the result of task twice takes more than 88 bytes' \
	"so does a too large result"

# C++ programs are users, too.
cxx=$(command -v g++ || command -v clang++)
if [ -n "$cxx" ]; then
	sed 's/atoi/std::atoi/; s/<stdlib.h>/<cstdlib>/' "$scratch/example.c" \
		>"$scratch/example.cpp"
	for standard in gnu++11 gnu++17 gnu++20; do
		# shellcheck disable=SC2086 # flags
		"$cxx" -std=$standard -Wall -Wextra -Werror -O2 $sanitize \
			-o "$scratch/example++" "$scratch/example.cpp" $flags \
			2>"$scratch/log"
		status=$?
		[ $status = 0 ] || sed 's/^/# /' "$scratch/log"
		ok $status "the example compiles as $standard without a warning"
		prints '^6765$' "$scratch/example++" 20
		ok $? "and runs"
	done
else
	skip "programs in C++" "a C++ compiler"
fi

# What sateen tells.
prints '^  loop ' ./sateen info
ok $? "sateen info lists the transports"
for setting in nodes clusters wan balancer workers transport provider device; do
	prints "^  $setting  *.*[a-z]" ./sateen info
	ok $? "and the setting $setting"
done
for program in sateen fib nqueens tree tsp; do
	prints '^usage: ' ./$program --help
	ok $? "$program --help"
done

plan
