# shellcheck shell=sh
# commit.sh: which commit is measured or tested. Sourced by scripts that have set $here
# to the folder of this file.

# commit: of the source, but for the document.
commit() {
	source=$here/..
	at=$(git -C "$source" rev-parse --short=12 HEAD 2>/dev/null) || {
		echo unknown
		return
	}
	git -C "$source" diff --quiet HEAD -- . ':!docs/measured.md' 2>/dev/null ||
		at=$at-changed
	echo "$at"
}
