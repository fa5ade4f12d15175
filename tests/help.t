#!/bin/sh
# help.t: `sateen help` shows manual pages and guides; `bootstrap --help` shows its goals.
. "$(dirname "$0")/tap.sh"

prints '^  survival  ' ./sateen help
ok $? "without a topic it lists the topics"
complains 2 'no help on "nonsense"; sateen help lists topics' \
	./sateen help nonsense
ok $? "an unknown topic gets one line"
complains 2 'help takes one topic' ./sateen help run sim
ok $? "so do two topics"

bootstrap=$(realpath --relative-to="$scratch" "$source_directory/bootstrap")
prints 'build | check | demo' env -C "$scratch" "$bootstrap" --help
ok $? "bootstrap --help works in any directory"
env -C "$scratch" "$bootstrap" nonsense >"$scratch/out" 2>"$scratch/err"
[ $? = 2 ] && grep -q 'build | check | demo' "$scratch/err"
ok $? "bootstrap prints the same for a goal that does not exist"

if [ ! -d ../docs/guides ]; then
	skip "the topics" "a build directory inside the source"
	plan
fi

# Each topic of the list has a page or a guide in the source.
./sateen help | sed -n 's/^  \([^ ]*\) .*/\1/p' >"$scratch/topics"
export MANPAGER=cat
while read -r topic; do
	if ./sateen help "$topic" >"$scratch/page" 2>"$scratch/err"; then
		[ "$(wc -l <"$scratch/page")" -gt 20 ]
		ok $? "sateen help $topic shows a page"
	elif grep -q 'sateen: man: ' "$scratch/err"; then
		skip "sateen help $topic shows a page" man
	else
		sed 's/^/# /' "$scratch/err"
		ok 1 "sateen help $topic shows a page"
	fi
done <"$scratch/topics"

plan
