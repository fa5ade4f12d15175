# site.pl: makes a site of the documents: pages from Markdown by pandoc, manual pages
# by mandoc, and an index for the search.
#
#	site.pl SOURCE SITE
#
# SITE is a directory, which is made anew. Pages stand there as in the source, with
# .html in place of .md; README.md is index.html.
use strict;
use warnings;
use File::Basename qw(dirname basename);
use File::Copy qw(copy);
use File::Path qw(make_path remove_tree);
use File::Temp qw(tempfile);
use JSON::PP;

my ($source, $site) = @ARGV;
my @navigation = (
	[ 'Begin', [ 'Overview', 'README.md' ], [ 'Tutorial', 'docs/tutorial.md' ],
		[ 'Installation', 'docs/install.md' ] ],
	[ 'Run', [ 'Clusters and Slurm', 'docs/guides/clusters.md' ],
		[ 'Networks', 'docs/guides/networks.md' ],
		[ 'Several sites', 'docs/guides/sites.md' ],
		[ 'Simulation', 'docs/guides/simulation.md' ],
		[ 'Survival', 'docs/guides/survival.md' ],
		[ 'Trouble', 'docs/guides/trouble.md' ] ],
	[ 'Write', [ 'Searches', 'docs/guides/search.md' ],
		[ 'Arrays', 'docs/guides/parts.md' ] ],
	[ 'Understand', [ 'Tuning', 'docs/guides/tuning.md' ],
		[ 'Tracing', 'docs/guides/tracing.md' ],
		[ 'Watching', 'docs/guides/watching.md' ] ],
	[ 'Coming from', [ 'Cilk', 'docs/from/cilk.md' ],
		[ 'OpenMP', 'docs/from/openmp.md' ], [ 'MPI', 'docs/from/mpi.md' ],
		[ 'Charm++', 'docs/from/charm.md' ],
		[ 'Satin', 'docs/from/satin.md' ] ],
	[ 'Look up', [ 'Reference', 'docs/reference.md' ],
		map { [ basename($_) =~ s/\.(\d)$/($1)/r, "man/" . basename($_) ] }
		sort glob("$source/man/*.[0-9]") ],
	[ 'Numbers', [ 'Measurements', 'docs/numbers.md' ],
		[ 'All targets', 'docs/measured.md' ],
		[ "The papers' figures", 'docs/figures.md' ],
		[ 'Link-aware stealing', 'docs/balancing.md' ],
		[ 'Fractiling and Hector', 'docs/paper-001.md' ],
		[ 'Four changing sites', 'docs/paper-004.md' ] ],
	[ 'Inside', [ 'Internals', 'HACKING.md' ], [ 'ABI', 'docs/abi.md' ],
		[ 'News', 'NEWS' ],
		[ 'Benchmarks', 'bench/README.md' ] ],
);
my @index; # of the search: [address, page, heading, text]

# address FILE: where the page of a source file stands in the site.
sub address {
	my ($file) = @_;

	return 'index.html' if $file eq 'README.md';
	return "$file.html" if $file eq 'NEWS' || $file =~ m{^man/.*\.\d$};
	return $file =~ s/\.md$/.html/r;
}

# root FILE: the way from its page to the top of the site.
sub root {
	return '../' x ($_[0] =~ tr{/}{});
}

sub read_file {
	open(my $file, '<:utf8', $_[0]) or die "$_[0]: $!";
	local $/;
	return scalar <$file>;
}

sub write_file {
	my ($path, $text) = @_;

	make_path(dirname($path));
	open(my $file, '>:utf8', $path) or die "$path: $!";
	print $file $text;
	close $file or die "$path: $!";
}

# output COMMAND...: what the command prints.
sub output {
	open(my $pipe, '-|', @_) or die "$_[0]: $!";
	binmode $pipe, ':utf8';
	local $/;
	my $text = <$pipe>;
	close $pipe or die "$_[0] failed on $_[-1]";
	return $text;
}

# navigation FILE: the list of all pages, with this one marked.
sub navigation {
	my ($here) = @_;
	my $text = '';

	for my $group (@navigation) {
		my ($title, @pages) = @$group;
		my @items;

		for (@pages) {
			my ($name, $file) = @$_;
			my $mark = $file eq $here ? ' aria-current="page"' : '';
			next unless -e "$source/$file";
			push @items, "<li><a href=\"" . root($here)
				. address($file) . "\"$mark>$name</a></li>\n";
		}
		$text .= "<h2>$title</h2>\n<ul>\n@items</ul>\n" if @items;
	}
	return $text;
}

# link HERE TARGET: the target of a link in the page of a source file.
sub link_to {
	my ($here, $target) = @_;
	my ($path, $place) = $target =~ /^([^#]*)(#.*)?$/;
	my $file = dirname($here) . "/$path";

	return $target if $path eq '' || $path =~ /^[a-z]+:/;
	1 while $file =~ s{(^|/)(?!\.\.)[^/]+/\.\./}{$1};
	$file =~ s{^(\./)+}{};
	# Folders: their files are listed in the reference.
	return root($here) . 'docs/reference.html#manual-pages' if $file eq 'man';
	return root($here) . 'docs/reference.html#programs' if $file eq 'apps';
	return root($here) . address($file) . ($place // '')
		if $file =~ /\.md$|^NEWS$|^man\//;
	if (-f "$source/$file") {
		make_path(dirname("$site/$file"));
		copy("$source/$file", "$site/$file") or die "$file: $!";
	}
	return root($here) . $file . ($place // '');
}

# plain HTML: its words.
sub plain {
	my ($text) = @_;

	$text =~ s/<[^>]*>/ /g;
	$text =~ s/&lt;/</g;
	$text =~ s/&gt;/>/g;
	$text =~ s/&quot;/"/g;
	$text =~ s/&amp;/&/g;
	$text =~ s/\s+/ /g;
	return $text =~ s/^ | $//gr;
}

# remember FILE TITLE BODY: puts the sections of a page into the index.
sub remember {
	my ($file, $title, $body) = @_;
	my @parts = split /(?=<h[1-6][^>]* id=")/, $body;

	for (@parts) {
		my ($id, $heading) = /^<h[1-6][^>]* id="([^"]*)"[^>]*>(.*?)<\/h/s;
		my $address = address($file) . (defined $id ? "#$id" : '');

		push @index, [ $address, $title, plain($heading // $title),
			plain($_) ];
	}
}

# page FILE TITLE BODY: writes a page, with links that lead to pages.
sub page {
	my ($file, $title, $body) = @_;
	my %value = (title => $title, root => root($file),
		navigation => navigation($file));

	$body =~ s/(href|src)="([^"]*)"/$1 . '="' . link_to($file, $2) . '"'/ge;
	remember($file, plain($title), $body);
	$value{body} = $body;
	my $text = read_file("$source/docs/site/page.html");
	$text =~ s/\$(\w+)\$/$value{$1}/g;
	write_file("$site/" . address($file), $text);
}

sub markdown_page {
	my ($file) = @_;
	my $body = output('pandoc', '-f', 'gfm', '-t', 'html5', '--wrap=none',
		'--no-highlight', "$source/$file");
	my ($title) = $body =~ /<h1[^>]*>(.*?)<\/h1>/s;

	page($file, plain($title // $file), $body);
}

sub manual_page {
	my ($file) = @_;
	my $body = output('mandoc', '-Thtml', '-O', 'fragment,man=%N.%S',
		"$source/$file");
	my $title = basename($file) =~ s/\.(\d)$/($1)/r;

	# Pages of other projects are no links.
	$body =~ s{<a class="Xr" href="([^"]*)"[^>]*>(.*?)</a>}
		{-e "$source/man/$1" ? "<a href=\"$1\">$2</a>" : $2}gse;
	$body =~ s/<h(\d) class="S[hs]"/"<h" . ($1 + 1) . ' class="S"'/ge;
	$body =~ s{</h2>}{</h3>}g;
	$body =~ s{</h1>}{</h2>}g;
	page($file, $title, "<h1>$title</h1>\n$body");
}

remove_tree($site);
make_path($site);
my @pages = map { s{^\Q$source\E/}{}r } glob("$source/README.md "
	. "$source/HACKING.md $source/NEWS $source/docs/*.md "
	. "$source/docs/guides/*.md $source/docs/from/*.md "
	. "$source/apps/*/README.md $source/bench/README.md");
markdown_page($_) for @pages;
manual_page($_) for map { 'man/' . basename($_) } glob("$source/man/*.[0-9]");
copy("$source/docs/site/$_", "$site/$_") or die "$_: $!" for qw(site.css search.js);
write_file("$site/index.js", 'const searchIndex = '
	. JSON::PP->new->canonical->encode(\@index) . ";\n");
