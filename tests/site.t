#!/bin/sh
# site.t: `make html` makes a site without dead links, whose search finds pages.
. "$(dirname "$0")/tap.sh"

for tool in pandoc mandoc; do
	command -v $tool >/dev/null && continue
	skip "the site of the documents" $tool
	plan
done

site=$scratch/html
perl "$source_directory/docs/site/site.pl" "$source_directory" "$site" \
	>"$scratch/log" 2>&1
status=$?
sed 's/^/# /' "$scratch/log"
ok $status "the site is made"

for page in "$source_directory"/man/*.[0-9]; do
	grep -q 'class="Nm"' "$site/man/${page##*/}.html"
	ok $? "it has ${page##*/}"
done

perl "$source_directory/tests/site.pl" "$site" >"$scratch/dead" 2>&1
status=$?
sed "s,$site/,,; s/^/# /" "$scratch/dead"
[ $status = 0 ] && [ ! -s "$scratch/dead" ]
ok $? "no link is dead"

# shows PATTERN ADDRESS: true if the browser's page matches.
shows() {
	timeout -k 5 100 chromium --headless --no-sandbox --disable-gpu \
		--user-data-dir="$scratch/browser" --virtual-time-budget=5000 \
		--dump-dom "file://$site/$2" >"$scratch/dom" 2>"$scratch/log"
	grep -q -e "$1" "$scratch/dom"
}

if command -v chromium >/dev/null; then
	shows 'id="found"><li><a href="docs/guides/clusters.html' 'index.html?q=slurm'
	ok $? "the search finds the guide to Slurm"
	shows 'id="found">Nothing found' 'docs/tutorial.html?q=xyzzyx'
	ok $? "and nothing where there is nothing"
else
	skip "the search" chromium
fi

plan
