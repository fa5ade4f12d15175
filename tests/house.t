#!/bin/sh
# house.t: the layers hold, the library exports what it should, and what is
# installed can be used.
. "$(dirname "$0")/tap.sh"

# includes DIRECTORY PATTERN: no file there includes what matches.
includes_none() {
	found=$(grep -rnE "#include [<\"]($2)" "$source_directory/$1" \
		--include='*.[ch]')
	[ -z "$found" ] || echo "$found" | sed 's/^/# /'
	[ -d "$source_directory/$1" ] && [ -z "$found" ]
	ok $? "nothing in $1 includes $2"
}

includes_none transport 'emul/|node/|search/|constants/|steal/|parts/|launch/|apps/|bench/|tests/'
includes_none emul 'node/|search/|constants/|steal/|parts/|launch/|apps/|bench/|tests/'
includes_none node 'search/|constants/|steal/|parts/|launch/|apps/|bench/|tests/'
includes_none search 'constants/|steal/|parts/|launch/|apps/|bench/|tests/|rdma/'
includes_none constants 'search/|steal/|parts/|launch/|apps/|bench/|tests/|rdma/'
includes_none steal 'parts/|launch/|apps/|bench/|tests/|rdma/'
includes_none parts 'launch/|apps/|bench/|tests/'
includes_none launch 'apps/|bench/|tests/'
includes_none bench 'tests/'
# Programs see <sateen.h> only; the command, in apps/sateen, sees launch, and
# uses what that is made of.
for directory in "$source_directory"/apps/*/; do
	inside='transport/|node/|launch/|'
	[ "$(basename "$directory")" != sateen ] || inside=
	includes_none "apps/$(basename "$directory")" \
		"${inside}emul/|search/|constants/|steal/|parts/|bench/|tests/"
done

# violates RULE WHAT: house.pl finds nothing that breaks the rule.
violates() {
	perl "$source_directory/tests/house.pl" "$1" "$source_directory" \
		>"$scratch/found" 2>&1
	status=$?
	sed 's/^/# /' "$scratch/found"
	[ $status = 0 ] && ! [ -s "$scratch/found" ]
	ok $? "$2"
}

violates up "no layer calls a function of a layer above it"
violates circles "no more than two files need each other"
violates headers "a header declares functions of two files at most"
violates names "no two files of the library have a static function of one name"
violates kinds "HACKING.md lists the kinds of messages of all services"
violates exports "libsateen.sym has the functions that installed headers declare"

found=$(grep -rlE 'clock_gettime|gettimeofday|\btime\(' \
	"$source_directory/search" "$source_directory/constants" \
	"$source_directory/steal" "$source_directory/parts" "$source_directory/node" --include='*.[ch]')
[ -z "$found" ]
ok $? "nothing in search, constants, steal, parts or node asks the machine for the time $found"

# A build tree was committed once, with its files that .gitignore does not name.
if [ -e "$source_directory/.git" ] &&
	git -C "$source_directory" ls-files >"$scratch/files" 2>"$scratch/log"; then
	found=$(grep -E '(^|/)(config\.(log|status)|.*\.Pl?o)$' "$scratch/files")
	[ -z "$found" ] || echo "$found" | sed 's/^/# /'
	[ -z "$found" ]
	ok $? "no file of a build is in the history"
else
	skip "no file of a build is in the history" "git and a clone"
fi

library=.libs/libsateen.so
if [ -f $library ]; then
	nm -D --defined-only $library | awk '{ print $3 }' | LC_ALL=C sort \
		>"$scratch/symbols"
	LC_ALL=C sort "$source_directory/libsateen.sym" |
		diff - "$scratch/symbols" >"$scratch/found"
	status=$?
	sed 's/^/# /' "$scratch/found"
	ok $status "the library exports the names in libsateen.sym, no others"
else
	skip "exported symbols" "a shared library"
fi

# A user's program is built with the installed files.
if install_to "$scratch/root"; then
	ok 0 "make install succeeds"
else
	sed 's/^/# /' "$scratch/log"
	ok 1 "make install succeeds"
fi
prefix=$(sed -n 's/^prefix = //p' Makefile)
root=$scratch/root$prefix
[ -f "$root/include/sateen.h" ] && [ -f "$root/lib/pkgconfig/sateen.pc" ] &&
	[ -x "$root/bin/sateen" ]
ok $? "header, sateen.pc and sateen are installed"

cc=$(sed -n 's/^CC = //p' Makefile)
sanitize=$(sed -n 's/^STN_SANITIZE = //p' Makefile)
static= # a static library needs further libraries
[ -f $library ] || static=--static
flags=$(PKG_CONFIG_PATH="$root/lib/pkgconfig" pkg-config $static \
	--define-variable=prefix="$root" --cflags --libs sateen)
sed -n '/^ \*	#include <stdio.h>/,/^ \* The model/p' \
	"$source_directory/steal/sateen.h" | sed '$d; s/^ \*	\{0,1\}//' \
	>"$scratch/example.c"
# shellcheck disable=SC2086 # flags
$cc -Wall -Wextra -Werror -O2 $sanitize -o "$scratch/example" \
	"$scratch/example.c" $flags 2>"$scratch/log"
status=$?
[ $status = 0 ] || sed 's/^/# /' "$scratch/log"
ok $status "the example in sateen.h compiles without a warning"
export LD_LIBRARY_PATH="$root/lib"
prints '^6765$' "$scratch/example" 20
ok $? "the example in sateen.h runs"
if have_ofi; then
	prints '^6765$' "$root/bin/sateen" run -n 3 "$scratch/example" 20
	ok $? "the example runs on three nodes, by the installed sateen"
fi

[ -f "$root/include/sateen_parts.h" ]
ok $? "sateen_parts.h is installed"
sed -n '/^ \*	#include <stdio.h>/,/^ \* The rule/p' \
	"$source_directory/parts/sateen_parts.h" | sed '$d; s/^ \*	\{0,1\}//' \
	>"$scratch/grid.c"
# shellcheck disable=SC2086 # flags
$cc -Wall -Wextra -Werror -O2 $sanitize -o "$scratch/grid" \
	"$scratch/grid.c" $flags 2>"$scratch/log"
status=$?
[ $status = 0 ] || sed 's/^/# /' "$scratch/log"
ok $status "the example in sateen_parts.h compiles without a warning"
prints '^[0-9]' "$root/bin/sateen" run -n 1 "$scratch/grid"
sum=$(cat "$scratch/out")
[ -n "$sum" ] && prints "^$sum\$" "$root/bin/sateen" run -n 3 "$scratch/grid"
ok $? "it prints the same sum on one node and on three"

# cells COMPILER...: the example in sateen_cells.h compiles, and counts on two nodes
# what 10 x 10 x 10 stars have around them: 1000, and 2 * 3 * 900 neighbours.
sed -n '/^ \*	#include <stdio.h>/,/^ \* The rule/p' \
	"$source_directory/parts/sateen_cells.h" | sed '$d; s/^ \*	\{0,1\}//' \
	>"$scratch/cells.c"
cells() {
	# shellcheck disable=SC2086 # flags
	"$@" -Wall -Wextra -Werror -O2 $sanitize -o "$scratch/cells" \
		"$scratch/cells.c" -x none $flags 2>"$scratch/log" &&
		prints '^6400$' "$root/bin/sateen" run -n 2 "$scratch/cells"
	status=$?
	[ $status = 0 ] || sed 's/^/# /' "$scratch/log" "$scratch/out"
	[ $status = 0 ]
}
# shellcheck disable=SC2086 # CC may have options
cells $cc
ok $? "the example in sateen_cells.h works in C"

# The example in sateen_cells.h.3 prints the energy of 5000 bodies twice: from all
# pairs, and from cells.
sed -n '/^#include <math.h>/,/^\.Ed/p' "$source_directory/man/sateen_cells.h.3" |
	sed '/^\./d; s/\\e/\\/g' >"$scratch/energy.c"
energy() {
	# shellcheck disable=SC2086 # flags
	"$@" -Wall -Wextra -Werror -O2 $sanitize -o "$scratch/energy" \
		"$scratch/energy.c" -x none $flags -lm 2>"$scratch/log" &&
		prints '^-' "$root/bin/sateen" run -n 2 "$scratch/energy" &&
		awk '{ energy[NR] = $1 } END {
			exit !(NR == 2 && energy[1] != energy[2] &&
				energy[2] / energy[1] - 1 < 1e-3 &&
				energy[1] / energy[2] - 1 < 1e-3)
		}' "$scratch/out"
	status=$?
	[ $status = 0 ] || sed 's/^/# /' "$scratch/log" "$scratch/out"
	[ $status = 0 ]
}
# shellcheck disable=SC2086 # CC may have options
energy $cc
ok $? "the example in sateen_cells.h.3 works in C"

# grid_calls COMPILER...: all calls of sateen_parts.h compile, and work.
grid_calls() {
	file=
	! grep -q '^#define NETCDF_SONAME' config.h || file=$scratch/calls.nc
	# shellcheck disable=SC2086 # flags
	"$@" -Wall -Wextra -Werror -O2 $sanitize -o "$scratch/calls" \
		"$source_directory/tests/apps/grid_calls.c" -x none $flags \
		2>"$scratch/log" &&
		prints '^448$' "$root/bin/sateen" run -n 2 "$scratch/calls" \
			$file &&
		[ "$(tr '\n' ' ' <"$scratch/out")" = "448 448 $(
			sed -n '2s/.* //p' "$scratch/out") 10 2 7 0 " ]
	status=$?
	[ $status = 0 ] || sed 's/^/# /' "$scratch/log" "$scratch/out"
	[ $status = 0 ]
}
# shellcheck disable=SC2086 # CC may have options
grid_calls $cc
ok $? "all calls of sateen_parts.h work in C"

# The example of a helper in sateen.h; it uses the first example's fib.
{
	sed '/^STN_MAIN/,$d' "$scratch/example.c"
	sed -n '/^ \* STN_FRAME, STN_PASS_FRAME: helpers/,/^ \*\/$/{
		/^ \*	/s/^ \*	//p
	}' "$source_directory/steal/sateen.h"
	cat <<'END'
STN_MAIN(argc, argv)
{
	printf("%ld\n", STN_CALL(sums, 10));
	return 0;
}
END
} >"$scratch/helper.c"
# shellcheck disable=SC2086 # flags
$cc -Wall -Wextra -Werror -O2 $sanitize -o "$scratch/helper" \
	"$scratch/helper.c" $flags 2>"$scratch/log"
status=$?
[ $status = 0 ] || sed 's/^/# /' "$scratch/log"
ok $status "the example of a helper compiles without a warning"
prints '^231$' "$scratch/helper"
ok $? "the example runs"

# compiles WHAT COMPILER ARGUMENTS: the compiler has nothing to say.
compiles() {
	what=$1
	shift
	# shellcheck disable=SC2086 # flags
	"$@" -Wall -Wextra -Werror -O2 $sanitize $flags 2>"$scratch/log"
	status=$?
	[ $status = 0 ] || sed 's/^/# /' "$scratch/log"
	ok $status "$what"
}

# Libraries of tasks: static and shared.
apps=$source_directory/tests/apps
lib=$scratch/lib
mkdir "$lib"

# library COMPILER...: makes both of tasklib.c. The archive's is not PIC.
library() {
	# shellcheck disable=SC2086 # flags
	"$@" -Wall -Wextra -Werror -O2 $sanitize -c -o "$lib/tasklib.o" \
		"$apps/tasklib.c" -I"$root/include" 2>"$scratch/log" &&
		rm -f "$lib/libstatic.a" &&
		ar rc "$lib/libstatic.a" "$lib/tasklib.o"
	status=$?
	[ $status = 0 ] || sed 's/^/# /' "$scratch/log"
	ok $status "a library of tasks, static"
	[ ! -f $library ] || compiles "and shared" "$@" -shared -fPIC \
		-o "$lib/libshared.so" "$apps/tasklib.c"
}

# uses WHICH COMPILER...: a program that uses that library.
uses() {
	which=$1
	shift
	compiles "a program with the $which library" "$@" -o "$lib/user" \
		"$apps/tasklib_user.c" "$apps/tasklib_more.c" \
		-L"$lib" -l"$which" "-Wl,-rpath,$lib"
	prints '^tasklib: all right, one process$' "$lib/user"
	ok $? "and it runs"
	have_ofi || return
	prints '^tasklib: all right, several processes$' \
		"$root/bin/sateen" run -n 2 "$lib/user"
	ok $? "also on two nodes"
}

if [ -f $library ]; then
	libraries='static shared'
else
	libraries=static
	skip "a shared library of tasks" "a shared libsateen"
fi
# shellcheck disable=SC2086 # CC may have options
library $cc
for which in $libraries; do
	uses $which $cc
	compiles "a program with a task of the $which library's name" $cc \
		-o "$lib/twin" "$apps/tasklib_twin.c" -L"$lib" -l$which \
		"-Wl,-rpath,$lib"
	twins='two tasks are called "tasklib_fib"'
	[ $which = static ] || twins="$twins, one in .* and one in .*; rename"
	complains 1 "^sateen: $twins" "$lib/twin"
	ok $? "is refused"
done
if [ -f $library ]; then
	compiles "a program that loads the library" $cc -o "$lib/load" \
		"$apps/tasklib_load.c" -ldl
	prints '^tasklib: all right, one process$' "$lib/load" before \
		"$lib/libshared.so"
	ok $? "before stn_main, runs"
	if have_ofi; then
		prints '^tasklib: all right, several processes$' \
			"$root/bin/sateen" run -n 2 "$lib/load" before \
			"$lib/libshared.so"
		ok $? "also on two nodes"
	fi
	complains 1 'libshared.so, .* the task .* was loaded after the run' \
		"$lib/load" within "$lib/libshared.so"
	ok $? "after that, it is refused"
fi

# The compiler finds errors in calls of tasks.
cat >"$scratch/wrong.c" <<'END'
#include <sateen.h>
STN_TASK(long, twice, long, n) { return 2 * n; }
STN_MAIN(argc, argv) { STN_SPAWN(twice); return (int)STN_SYNC(twice); }
END
! $cc -I"$source_directory/steal" \
	-I"$source_directory/search" -c -o /dev/null "$scratch/wrong.c" \
	2>"$scratch/log"
ok $? "a spawn with too few arguments does not compile"
grep -q 'too few arguments' "$scratch/log"
ok $? "the compiler's message says that there are too few arguments"

# refuses CODE WORDS WHAT: tests that CODE does not compile, with a message that
# has these WORDS.
refuses() {
	printf '#include <sateen.h>\n%s\n' "$1" >"$scratch/wrong.c"
	if $cc -Wall -Werror -I"$source_directory/steal" \
	-I"$source_directory/search" -I"$source_directory/parts" -c -o /dev/null \
		"$scratch/wrong.c" 2>"$scratch/log"; then
		ok 1 "the compiler refuses $3"
	else
		grep -q "$2" "$scratch/log"
		ok $? "the compiler refuses $3"
	fi
}

refuses 'STN_TASK_VOID(nothing) {}
static void helper(int n) { while (n--) STN_SPAWN(nothing); }' \
	'stn_frame' "a helper that spawns needs STN_FRAME"

twice='STN_TASK(long, twice, long, n) { return 2 * n; }'
refuses "$twice
STN_MAIN(argc, argv) { STN_SPAWN(twice, 1, 2); return STN_SYNC(twice); }" \
	'too many arguments' "a spawn with too many arguments"
refuses "$twice
STN_MAIN(argc, argv) { STN_SPAWN(twice, argv); return STN_SYNC(twice); }" \
	'makes integer from pointer\|incompatible pointer to integer' \
	"a spawn with an argument of another type"
refuses "$twice
STN_MAIN(argc, argv) { STN_SPAWN(twice, 1); char *x = STN_SYNC(twice);
	return !x; }" \
	'makes pointer from integer\|incompatible integer to pointer' \
	"a sync for a result of another type"
refuses 'STN_TASK(long, twice, long, n, int) { return 2 * n; }' \
	'PAIR_OF_TYPE_AND_NAME' "a parameter without a name"
refuses 'struct wide { char c[89]; };
STN_TASK(long, twice, struct wide, w) { return 2; }' \
	'the arguments of task twice take more than 88 bytes' \
	"arguments of more than 88 bytes, which need a buffer"
refuses 'struct wide { char c[89]; };
STN_TASK(struct wide, twice, int, n) { struct wide w = {""}; return w; }' \
	'the result of task twice takes more than 88 bytes' \
	"a result of more than 88 bytes, which needs a buffer"

refuses 'STN_TASK_EXTERN(long, twice, long, n);
STN_TASK_DEFINE(long, twice, int, n) { return 2 * n; }' \
	'conflicting types' "a shared task is defined with its declared types"

pointer='is a pointer: pass a buffer (STN_IN ...) instead'
refuses 'STN_TASK(long, first, const long *, from) { return *from; }' \
	"argument from of task first $pointer" "an argument is no pointer"
refuses 'typedef int function(int);
STN_TASK(long, first, int, n, function *const, call) { return call(n); }' \
	"argument call of task first $pointer" "nor a pointer to a function"
refuses 'STN_TASK_VOID_FORWARD(first, long *, from);' \
	"argument from of task first $pointer" "nor is that of a declared task"
refuses 'STN_TASK(char *, first, int, n) { return n ? "a" : "b"; }' \
	'the result of task first is a pointer: pass a buffer (STN_OUT ...)' \
	"a result is no pointer"

refuses '#include <sateen_parts.h>
STN_KERNEL(fill, double, struct stn_in, from) { at->to[0] = from.rows; }' \
	'argument from of kernel fill is a buffer, a bound or a constant' \
	"an argument of a kernel is no buffer"

# Programs in C++.
cat >"$scratch/helper.cpp" <<'END'
#include <cstdio>
#include <vector>
#include <sateen.h>

STN_TASK(long, square, long, n) { return n * n; }

#define SUM(a, b) ((a) + (b))
STN_TASK_REDUCE(long, cubes, SUM, i, long, n) { return n * i * i * i; }

STN_TASK_FOR(store, i, struct stn_out, row) { *(long *)row.at = (long)i; }

STN_TASK(long, first_byte, struct stn_const, data)
{
	return *(const char *)STN_CONST_AT(data);
}

struct derived_in : stn_in { };
struct derived_bound : stn_bound { };
STN_TASK_VOID(takes, derived_in, from, derived_bound, most, double, scalar)
{
	(void)from, (void)most, (void)scalar;
}
static_assert(STN_KIND_(takes_arguments, from) == STN_ARGUMENT_IN &&
	STN_KIND_(takes_arguments, most) == STN_ARGUMENT_BOUND &&
	STN_KIND_(takes_arguments, scalar) == STN_ARGUMENT_SCALAR, "kinds");

static void spawn_all(STN_FRAME, const std::vector<long> &numbers)
{
	for (long n : numbers)
		STN_SPAWN(square, n);
}

struct summer {
	long total;
	void sync_all(STN_FRAME, size_t count)
	{
		while (count--)
			total += STN_SYNC(square);
	}
};

STN_MAIN(argc, argv)
{
	std::vector<long> numbers = { 1, 2, 3, 4 };
	summer sum = { 0 };
	auto both = [&] {
		spawn_all(STN_PASS_FRAME, numbers);
		sum.sync_all(STN_PASS_FRAME, numbers.size());
	};

	long stored[3], byte = STN_CALL(first_byte, STN_CONST("A", 1));

	both();
	both();
	STN_FOR(store, 0, 3, STN_OUT_ROWS(stored, 3, 1, 1));
	STN_SPAWN(square, stored[2]);
	STN_SYNC_ALL(square, one)
		sum.total += one;
	sum.total += STN_REDUCE(cubes, 1, 4, 2) - 76 + byte - 'A';
	printf("%ld\n", sum.total);
	return 0;
}
END
cxx=$(command -v g++ || command -v clang++)
if [ -n "$cxx" ]; then
	sed 's/atoi/std::atoi/; s/<stdlib.h>/<cstdlib>/' "$scratch/example.c" \
		>"$scratch/example.cpp"
	# Designated initialisers came with C++20.
	# shellcheck disable=SC2086 # flags
	"$cxx" -std=gnu++20 -x c++ -Wall -Wextra -Werror -O2 $sanitize \
		-o "$scratch/grid++" "$scratch/grid.c" -x none $flags \
		2>"$scratch/log"
	status=$?
	[ $status = 0 ] || sed 's/^/# /' "$scratch/log"
	ok $status "the example in sateen_parts.h compiles as gnu++20"
	grid_calls "$cxx" -std=gnu++20 -x c++
	ok $? "all calls of sateen_parts.h work in gnu++20"
	cells "$cxx" -std=gnu++20 -x c++
	ok $? "the example in sateen_cells.h works in gnu++20"
	energy "$cxx" -std=gnu++20 -x c++
	ok $? "so does that in sateen_cells.h.3"
	for standard in gnu++11 gnu++17 gnu++20; do
		# shellcheck disable=SC2086 # flags
		"$cxx" -std=$standard -Wall -Wextra -Werror -O2 $sanitize \
			-o "$scratch/example++" "$scratch/example.cpp" $flags \
			2>"$scratch/log"
		status=$?
		[ $status = 0 ] || sed 's/^/# /' "$scratch/log"
		ok $status "the example compiles as $standard without a warning"
		prints '^6765$' "$scratch/example++" 20
		ok $? "the example runs"
		# shellcheck disable=SC2086 # flags
		"$cxx" -std=$standard -Wall -Wextra -Werror -O2 $sanitize \
			-o "$scratch/helper++" "$scratch/helper.cpp" $flags \
			2>"$scratch/log"
		status=$?
		[ $status = 0 ] || sed 's/^/# /' "$scratch/log"
		ok $status "so do helpers: functions, members and lambdas"
		prints '^60$' "$scratch/helper++"
		ok $? "the helpers run"
		for which in $libraries; do
			uses $which "$cxx" -std=$standard -x c++
		done
		for type in 'long *' 'int (&&)[2]' 'const long &' 'void (*)()' \
			'long pair::*' 'long (pair::*)()' 'long *volatile'; do
			cat >"$scratch/wrong.cpp" <<END
#include <sateen.h>
struct pair { long a, b; };
template <class type> using same = type;
STN_TASK(long, first, same<$type>, from) { return 1; }
END
			! "$cxx" -std=$standard -I"$source_directory/steal" \
	-I"$source_directory/search" -c \
				-o /dev/null "$scratch/wrong.cpp" \
				2>"$scratch/log" &&
				grep -q "argument from of task first $pointer" \
					"$scratch/log"
			ok $? "an argument of type $type is refused"
		done
		for base in stn_in stn_out stn_inout; do
			cat >"$scratch/wrong.cpp" <<END
#include <sateen.h>
struct view : $base { int width; };
STN_TASK(long, first, view, from) { return from.width; }
END
			! "$cxx" -std=$standard -I"$source_directory/steal" \
	-I"$source_directory/search" -c \
				-o /dev/null "$scratch/wrong.cpp" \
				2>"$scratch/log" &&
				grep -q 'from of task first adds members to a buffer' \
					"$scratch/log"
			ok $? "a class that adds a member to $base is refused"
		done
	done
	library "$cxx" -x c++
	for which in $libraries; do
		uses $which $cc
		uses $which "$cxx" -x c++
	done
else
	skip "programs in C++" "a C++ compiler"
fi

# Fuzz targets that are in no group of fuzz.t never run.
forgotten=
for source in "$source_directory"/tests/fuzz/fuzz_*.c; do
	target=$(basename "$source" .c)
	[ "$target" = fuzz_main ] ||
		grep -Eqw "^(starts|messages|files|problems)=.*${target#fuzz_}" \
			"$source_directory/tests/fuzz.t" ||
		forgotten="$forgotten $target"
done
[ -z "$forgotten" ]
ok $? "each fuzz target is in a group of fuzz.t$forgotten"

# sateen info and --help.
prints '^  loop ' ./sateen info
ok $? "sateen info lists the transports"
for setting in nodes clusters wan balancer workers transport provider device; do
	prints "^  $setting  *.*[a-z]" ./sateen info
	ok $? "sateen info lists the setting $setting"
done
for program in sateen fib nqueens tree tsp; do
	prints '^usage: ' ./$program --help
	ok $? "$program --help prints its usage"
done

plan
