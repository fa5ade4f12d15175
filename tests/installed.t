#!/bin/sh
# installed.t: programs in C, programs in C++ (sateen.hpp), and programs that CMake
# builds, with the installed files.
. "$(dirname "$0")/tap.sh"

if sanitized; then
	skip "programs with the installed files" "a build without sanitizers"
	plan
fi

install_to "$scratch/root"
ok $? "make install succeeds"
root=$(realpath "$scratch/root")$(sed -n 's/^prefix = //p' Makefile)
export LD_LIBRARY_PATH="$root/lib"

# Manual pages stand elsewhere, and programs are not installed.
find "$root/share/sateen" -name '*.md' | while read -r page; do
	grep -oE '\]\([^)#: ]+\.(md|png|svg)' "$page" | sed 's/^](//' |
		while read -r link; do
			[ -e "$(dirname "$page")/$link" ] || echo "# $page: $link"
		done
done >"$scratch/dead"
cat "$scratch/dead"
[ -e "$root/share/sateen/docs/guides/tuning.md" ] && [ ! -s "$scratch/dead" ]
ok $? "the pages and pictures are installed to which installed documents link"
prints '^fib(22) = 17711$' env -C "$scratch" \
	"$root/bin/sateen" sim --clusters 2x1 --links day-and-night "$PWD/fib" 22
ok $? "files of links are found by their names"
prints '^usage: sateen bench spawn' "$root/bin/sateen" bench spawn --help
ok $? "the programs of benchmarks are found in a moved installation"
prints '^  survival ' "$root/bin/sateen" help
ok $? "so are the guides"
static= # a static library needs further libraries
[ -f .libs/libsateen.so ] || static=--static
flags=$(PKG_CONFIG_PATH="$root/lib/pkgconfig" pkg-config $static \
	--define-variable=prefix="$root" --cflags --libs sateen)

# shown STATUS: prints what the compiler has said if STATUS is not 0; returns it.
shown() {
	[ "$1" = 0 ] || sed 's/^/# /' "$scratch/log"
	return "$1"
}

# compiles PROGRAM FILE COMPILER...: without a warning.
compiles() {
	program=$1 file=$2
	shift 2
	# shellcheck disable=SC2086 # flags
	"$@" -Wall -Wextra -Werror -o "$program" "$file" $flags \
		2>"$scratch/log"
	shown $?
}

# refuses WHAT WORDS CODE COMPILER...: CODE does not compile as $standard, with a
# message that has these WORDS.
standard=c++17
refuses() {
	what=$1 words=$2
	printf '#include <functional>\n#include <string>\n#include <sateen.hpp>\n%s\n%s\n' "$3" \
		'int program(sateen::frame &f, int, char **)
		{ f.spawn<task>(0).sync(); return 0; }' >"$scratch/wrong.cpp"
	shift 3
	! "$@" -std=$standard -I"$root/include" -c -o /dev/null \
		"$scratch/wrong.cpp" 2>"$scratch/log" &&
		grep -q "$words" "$scratch/log"
	status=$?
	shown $status
	ok $status "$1 refuses $what"
}

bytes='copied as bytes to other nodes: no pointers'
views='reference_wrapper) points to memory that other nodes lack'
tested=0
sed -n '/^ \*	#include <cstdio>/,/^ \* A task is/p' \
	"$source_directory/steal/sateen.hpp" |
	sed '$d; s/^ \*	\{0,1\}//' >"$scratch/example.cpp"
for cxx in g++ clang++; do
	if ! echo 'int main() {}' | $cxx -x c++ -o "$scratch/empty" - \
		2>/dev/null; then
		skip "sateen.hpp with $cxx" "$cxx"
		continue
	fi
	tested=$((tested + 1))
	compiles "$scratch/example" "$scratch/example.cpp" $cxx -std=c++17 -O2
	ok $? "$cxx compiles the example in sateen.hpp without a warning"
	prints '^832040$' "$root/bin/sateen" run -n 2 "$scratch/example"
	ok $? "the example runs on two nodes"
	for options in 'c++17 -O0' 'c++17 -O2' 'gnu++17 -O3' 'c++20 -O2'; do
		# shellcheck disable=SC2086 # standard and optimisation
		compiles "$scratch/typed" "$source_directory/tests/apps/typed.cpp" \
			$cxx -std=$options
		ok $? "$cxx -std=$options compiles all of sateen.hpp"
		prints '^typed: all right$' "$scratch/typed"
		ok $? "it works in one process"
		prints '^typed: all right$' "$root/bin/sateen" run -n 3 \
			--workers 2 "$scratch/typed"
		ok $? "and on three nodes"
		prints '^typed: all right$' "$root/bin/sateen" run -n 4 -c 2 \
			--wan 1ms "$scratch/typed"
		ok $? "and on two clusters"
	done
	complains 1 'STN_SYNC(fib) meets a STN_SPAWN of fib; sync in the reverse' \
		"$root/bin/sateen" run -n 1 "$scratch/typed" handles
	ok $? "syncs in another order than that of the lives of variables end the run"
	for how in sync spawn empty; do
		complains 1 'STN_SYNC(left) meets a STN_SPAWN of left; sync in' \
			"$root/bin/sateen" run -n 1 "$scratch/typed" $how
		ok $? "so do calls of two tasks that are not in the order of a stack: $how"
	done

	refuses "an argument that is a pointer" "$bytes" \
		'int task(sateen::frame &, int *p) { return *p; }' $cxx
	refuses "an argument that is a reference" "$bytes" \
		'int task(sateen::frame &, const int &n) { return n; }' $cxx
	refuses "an argument with memory of its own" "$bytes" \
		'int task(sateen::frame &, std::string) { return 0; }' $cxx
	refuses "an argument that is a string_view" "$views" \
		'int task(sateen::frame &, std::string_view) { return 0; }' $cxx
	refuses "a result that is a string_view" "$views" \
		'std::string_view task(sateen::frame &, int) { return ""; }' $cxx
	refuses "a constant result that is a string_view" "$views" \
		'const std::string_view task(sateen::frame &, int) { return ""; }' \
		$cxx
	refuses "an argument that is a reference_wrapper" "$views" \
		'int task(sateen::frame &, std::reference_wrapper<int>);' $cxx
	refuses "an argument that is an initializer_list" "$views" \
		'int task(sateen::frame &, std::initializer_list<int>);' $cxx
	standard=c++20
	refuses "an argument that is a span" "$views" \
		'int task(sateen::frame &, std::span<int, 3>) { return 0; }' $cxx
	standard=c++17
	refuses "a result that is a pointer" "$bytes" \
		'char *task(sateen::frame &, int) { return nullptr; }' $cxx
	for base in in out inout; do
		refuses "a class that adds a member to an $base buffer" \
			'an argument adds members to a buffer' \
			"struct view : sateen::$base<int> {
				view(int) : sateen::$base<int>(nullptr, 0) {}
				int width;
			};
			int task(sateen::frame &, view) { return 0; }" $cxx
	done
	refuses "arguments of more than 88 bytes" 'take more than 88 bytes' \
		'struct wide { wide(int) {} char c[89]; };
		int task(sateen::frame &, wide) { return 0; }' $cxx
	refuses "a function without a frame" 'task' \
		'int task(int n) { return n; }' $cxx
	refuses "a lambda" 'no linkage\|a lambda has no name' \
		'constexpr auto task = +[](sateen::frame &, int n) { return n; };' \
		$cxx
done
[ $tested -gt 0 ] || skip "sateen.hpp" "a C++ compiler"

# Clang evaluates the arguments of a call from left to right, GCC from right to left.
for compiler in gcc clang; do
	if ! echo 'int main(void) { return 0; }' |
		$compiler -x c -o "$scratch/empty" - 2>/dev/null; then
		skip "all of sateen.h with $compiler" "$compiler"
		continue
	fi
	for level in -O0 -O2; do
		compiles "$scratch/api" "$source_directory/tests/apps/api.c" \
			$compiler -std=gnu11 -D_GNU_SOURCE $level
		ok $? "$compiler $level compiles all of sateen.h"
		prints '^api: all right$' env STN_WORKERS=1 "$scratch/api"
		ok $? "it works in one process"
		prints '^api: all right$' "$root/bin/sateen" run -n 3 \
			--workers 2 "$scratch/api"
		ok $? "and on three nodes"
	done
done

# A user's project, with programs in C and C++.
user=$scratch/user
mkdir "$user"
cp "$source_directory/tests/apps/typed.cpp" "$user"
sed -n '/^ \*	#include <stdio.h>/,/^ \* The model/p' \
	"$source_directory/steal/sateen.h" | sed '$d; s/^ \*	\{0,1\}//' \
	>"$user/fib.c"
cat >"$user/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.13)
project(user C CXX)
set(CMAKE_CXX_STANDARD 17)
find_package(sateen ${WANTED} REQUIRED)
message(STATUS "found ${sateen_VERSION}, ${sateen_RUN}")
add_executable(fib fib.c)
add_executable(typed typed.cpp)
target_link_libraries(fib PRIVATE sateen::sateen)
target_link_libraries(typed PRIVATE sateen::sateen)
END

# configures VERSION: CMake finds that version of Sateen.
configures() {
	rm -rf "$user/build"
	env CFLAGS=-O2 CXXFLAGS=-O2 cmake -S "$user" -B "$user/build" \
		-DWANTED="$1" -DCMAKE_PREFIX_PATH="$root" >"$scratch/log" 2>&1
}

# finds PREFIX OPTION...: CMake finds the installation in PREFIX, all of it.
finds() {
	prefix=$1
	shift
	env CFLAGS=-O2 CXXFLAGS=-O2 cmake -S "$user" -B "$user/build" "$@" \
		>"$scratch/log" 2>&1 &&
		grep -q "found .*, $prefix/bin/sateen" "$scratch/log" &&
		grep -q "INCLUDE_DIR:PATH=$prefix/include$" \
			"$user/build/CMakeCache.txt" &&
		grep -q "LIBRARY:FILEPATH=$prefix/lib/" \
			"$user/build/CMakeCache.txt"
	shown $?
}

if command -v cmake >/dev/null && [ $tested -gt 0 ]; then
	configures 1.0
	shown $?
	ok $? "CMake's find_package finds sateen"
	version=$(./sateen --version | sed 's/sateen //')
	grep -q "found $version, $root/bin/sateen" "$scratch/log"
	ok $? "its version, and the command sateen"
	make -s -C "$user/build" >"$scratch/log" 2>&1
	shown $?
	ok $? "programs in C and C++ are built"
	prints '^6765$' "$root/bin/sateen" run -n 2 "$user/build/fib" 20
	ok $? "the one in C runs on two nodes"
	prints '^typed: all right$' "$root/bin/sateen" run -n 2 \
		"$user/build/typed"
	ok $? "so does the one in C++"

	# As on Debian: /lib is a link to usr/lib, and CMake looks into /lib first.
	mkdir "$scratch/merged"
	cp -R "$root" "$scratch/merged/usr"
	usr=$(realpath "$scratch/merged/usr")
	ln -s usr/lib "$scratch/merged/lib"
	rm -rf "$user/build"
	finds "$usr" -Dsateen_DIR="$scratch/merged/lib/cmake/sateen"
	ok $? "sateen is found below a link to its directory of libraries"
	finds "$root" -Dsateen_DIR="$root/lib/cmake/sateen"
	ok $? "another sateen_DIR in the same directory: all of that installation"
	! configures 1.99 && grep -q 'requested version "1.99"' "$scratch/log"
	ok $? "a later minor version than the installed one is not found"
	! configures 0.9 && grep -q 'requested version "0.9"' "$scratch/log"
	ok $? "nor is another major version"
else
	skip "CMake's find_package" "cmake and a C++ compiler"
fi
plan
