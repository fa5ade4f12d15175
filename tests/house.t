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
includes_none steal 'emul/|apps/|tests/|transport/ops.h|transport/ofi|rdma/'
includes_none apps 'steal/|transport/|emul/|tests/'

found=$(grep -lE 'clock_gettime|gettimeofday|\btime\(' \
	"$source_directory"/steal/*.c | grep -v '/launch.c$')
[ -z "$found" ]
ok $? "nothing in steal but the launcher asks the machine for the time $found"

library=.libs/libsateen.so
if [ -f $library ]; then
	nm -D --defined-only $library | awk '{ print $3 }' | sort \
		>"$scratch/symbols"
	grep -v '^stn_' "$scratch/symbols" | sed 's/^/# /'
	! grep -qv '^stn_' "$scratch/symbols"
	ok $? "the library exports only names that begin with stn_"
	[ "$(wc -l <"$scratch/symbols")" -lt 12 ]
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
STN_MAIN(argc, argv) { long x; STN_SPAWN(&x, twice); STN_SYNC(); return (int)x; }
END
! $cc -I"$source_directory/steal" -c -o /dev/null "$scratch/wrong.c" \
	2>"$scratch/log"
ok $? "a call with too few arguments is no program"
grep -q 'too few arguments' "$scratch/log"
ok $? "and the compiler says that"
sed -i 's/STN_SPAWN(&x, twice)/STN_SPAWN(\&argc, twice, 3)/' "$scratch/wrong.c"
! $cc -Werror -I"$source_directory/steal" -c -o /dev/null \
	"$scratch/wrong.c" 2>"$scratch/log"
ok $? "so with a place of another type than the result's"

cat >"$scratch/wrong.c" <<'END'
#include <sateen.h>
STN_TASK(int, nine, int, a, int, b, int, c, int, d, int, e, int, f, int, g,
	 int, h, int, i) { return 0; }
END
$cc -I"$source_directory/steal" -c -o /dev/null "$scratch/wrong.c" \
	2>"$scratch/log"
grep -q 'at most eight arguments' "$scratch/log"
ok $? "nine arguments are too many, says the compiler"
cat >"$scratch/wrong.c" <<'END'
#include <sateen.h>
STN_TASK(long, twice, long, n) { return 2 * n; }
STN_MAIN(argc, argv) { STN_SPAWN(NULL, twice, 1); STN_SYNC(); return 0; }
END
! $cc -Wall -Werror -I"$source_directory/steal" -c -o /dev/null \
	"$scratch/wrong.c" 2>"$scratch/log"
ok $? "a result needs a place"

# What sateen tells.
prints '^  loop ' ./sateen info
ok $? "sateen info lists the transports"
for setting in nodes clusters wan balancer workers transport provider; do
	prints "^  $setting  *.*[a-z]" ./sateen info
	ok $? "and the setting $setting"
done
for program in sateen fib nqueens tree tsp; do
	prints '^usage: ' ./$program --help
	ok $? "$program --help"
done

plan
