# site.pl: the dead links of a site: links to files that it lacks, or to places that a
# page lacks. Links to other hosts are not followed.
#
#	site.pl SITE
#
# Prints a line for each dead link.
use strict;
use warnings;
use File::Find qw(find);

my ($site) = @ARGV;
my (%text, %places);

find(sub {
	return unless /\.html$/;
	open(my $file, '<', $_) or die "$File::Find::name: $!";
	local $/;
	$text{$File::Find::name} = <$file>;
}, $site);
for my $page (keys %text) {
	$places{$page}{$1} = 1 while $text{$page} =~ /\bid="([^"]*)"/g;
}
for my $page (sort keys %text) {
	while ($text{$page} =~ /\b(?:href|src)="([^"]*)"/g) {
		my $link = $1;
		my ($path, $place) = $link =~ /^([^#]*)(?:#(.*))?$/;
		my $target = $path eq '' ? $page : $page =~ s{[^/]*$}{$path}r;

		next if $path =~ /^[a-z]+:/;
		1 while $target =~ s{[^/]+/\.\./}{};
		next if -f $target && (!defined $place
			|| $places{$target}{$place});
		print "$page: $link\n";
	}
}
