#!/bin/sh
# numbers.t: programs that compute numbers, and their sequential twins, print the
# published numbers. Bad command lines are refused with one line.
. "$(dirname "$0")/tap.sh"

# right PATTERN PROGRAM...: tests the program in one process, its sequential twin,
# and the program on four nodes.
right() {
	pattern=$1 program=./$2
	shift 2
	prints "$pattern" "$program" "$@"
	ok $? "$program $* prints the right number"
	prints "$pattern" "$program" "$@" --seq
	ok $? "$program $* --seq prints the right number"
	prints "$pattern" ./sateen run -n 4 --workers 1 --transport shm \
		"$program" "$@"
	ok $? "$program $* prints the right number on four nodes"
}

# spawns COUNT PROGRAM...: tests how many tasks the program spawns.
spawns() {
	count=$1 program=./$2
	shift 2
	STN_STATS=1 STN_WORKERS=1 timeout 100 "$program" "$@" >"$scratch/out" \
		2>"$scratch/err" </dev/null
	grep -q "tasks spawned  *$count " "$scratch/err"
	ok $? "$program $* spawns $count tasks"
}

right '^fib(0) = 0$' fib 0
right '^fib(22) = 17711$' fib 22
right '^fib(30) = 832040$' fib_threshold 30
right '^fib(20) = 6765$' fib_threshold -t 0 20
spawns 986 fib_threshold -t 10 23
right '^integrate(0, 1000, 0.0001) = -56.1542555$' \
	integrate -b 1000 -e 1e-4
right '^integrate(0, 1000, 0.0001) = -56.1542555$' \
	integrate -b 1000 -e 1e-4 -t 0
right '^integrate(-20, 30, 0.001) = ' integrate -a -20 -b 30 -e 1e-3 -t 1
right '^choose(26, 13) = 10400600$' nchoosek 26
right '^choose(40, 5) = 658008$' nchoosek 40 5
right '^choose(16, 8) = 12870$' nchoosek -t 0 16
right '^choose(7, 0) = 1$' nchoosek 7 0
right '^1155000 = 2^3 \* 3 \* 5^4 \* 7 \* 11$' primes 1155000
right '^1000003 = 1000003$' primes -t 100 1000003
right '^2 = 2$' primes -t 1 2
right '^510510 = 2 \* 3 \* 5 \* 7 \* 11 \* 13 \* 17$' primes -t 1000 510510
right '^nqueens(10) = 724$' nqueens -d 10 10
right '^nqueens(11) = 2680$' nqueens -d 0 11
right '^first(3) = none$' nqueens --first 3
right '^first(8) = 0 4 7 5 2 6 1 3$' nqueens --first 8
right '^first(10) = 0 2 5 7 9 4 8 1 3 6$' nqueens -f -d 10 10
for n in 1 8 97 300; do
	sum=$(./matmul --seq "$n" | sed -n 's/.*\(checksum [0-9a-f]*\)$/\1/p')
	[ -n "$sum" ]
	ok $? "matmul --seq $n prints a checksum"
	right "$sum" matmul -l 16 "$n"
done
right '^matmul(200) = ' matmul -l 48 --seed 7 -r 3 200

# The numbers of tasks that Satin's programs print, without the call in main(),
# which is not a task in Sateen.
spawns 584 matmul -l 48 384
spawns 254 nchoosek -t 25 32
spawns 1846 nqueens -d 4 10
if [ -n "${STN_LONG:-}" ]; then
	spawns 488746 integrate
	right '^integrate(0, 250000, 1e-06) = 2231.7013284$' integrate
	spawns 37448 matmul -l 48 1536
	spawns 8190 nchoosek -t 25 37
	right ' = 17672631900$' nchoosek 37
	spawns 262142 primes
	right '^667890432 = 2^8 \* 3^2 \* 11 \* 19^2 \* 73$' primes
	spawns 15941 nqueens 15
	spawns 67086 nqueens --first --fixed 20
	right '^nqueens(15) = 2279184$' nqueens 15
	right ' = 0 2 4 1 3 12 14 11 17 19 16 8 15 18 7 9 6 13 5 10$' \
		nqueens --first --fixed 20
else
	skip "the numbers of tasks and the results of Satin's programs" STN_LONG=1
fi

# refuses PATTERN PROGRAM...: tests that the program refuses its command line.
refuses() {
	pattern=$1 program=./$2
	shift 2
	complains 2 "$pattern" "$program" "$@"
	ok $? "$program $* is refused: $pattern"
}

refuses 'N must be a whole number from 0 to 90' fib 91
refuses 'THRESHOLD must be' fib_threshold -t -1 20
refuses 'too many arguments' fib_threshold 20 20
refuses 'K must be at most N, 7' nchoosek 7 8
refuses 'N must be' nchoosek 67
refuses 'N must be' primes 1
refuses 'N must be' primes 1000000000001
refuses 'THRESHOLD must be' primes -t 0 12
for epsilon in 0 -1 nan inf 1e-6x 0x1p-6 ' 1' '' . 1e9 e; do
	refuses 'EPSILON must be a number' integrate -e "$epsilon"
done
refuses 'LOW must not be above HIGH' integrate -a 2 -b 1
refuses 'HIGH must be' integrate -b 1.5
refuses 'LEAF must be' matmul -l 7 10
refuses 'N must be' matmul 0
refuses 'SEED must be' matmul --seed x 10
refuses "option '--sed'" matmul --sed 1 10
refuses 'N must be' nqueens 21
refuses 'N is missing' nqueens --first
# 710 is nearly 226 times pi: the function is 0 at both ends and in the middle.
complains 1 'the integral is' ./integrate -b 710 -e 2
ok $? "integrate reports an integral that its trapezoids miss"

what="a stack too small for a leaf ends the run with a line"
if sanitized; then
	skip "$what" "a build without sanitizers"
elif ./matmul 16 | grep -q 'leaves by OpenBLAS'; then
	skip "$what" "leaves by vector instructions, which use the stack"
else
	complains 1 'ran out of its stack' env STN_STACK=512KiB ./matmul 300
	ok $? "$what"
fi

for program in fib_threshold integrate matmul nchoosek primes; do
	prints '^usage: ' ./$program --help
	ok $? "$program --help prints its usage"
done

plan
