#!/usr/bin/perl
# sip.pl: random graphs in LAD's format, and the number of ways to map one into
# another, by trying all.
#
#	sip.pl make VERTICES PERCENT SEED	prints a graph
#	sip.pl count PATTERN TARGET [induced]	prints the number of ways
use strict;
use warnings;

my ($command, @words) = @ARGV;

sub make {
	my ($vertices, $percent, $seed) = @_;
	my @neighbours = map { [] } 1 .. $vertices;
	for my $a (0 .. $vertices - 1) {
		for my $b (0 .. $a) {
			# The same numbers with every perl.
			$seed = ($seed * 1103515245 + 12345) % 2147483648;
			my $chance = $a == $b ? $percent / 4 : $percent;
			next if ($seed >> 8) % 100 >= $chance;
			push @{ $neighbours[$a] }, $b;
			push @{ $neighbours[$b] }, $a if $a != $b;
		}
	}
	print "$vertices\n";
	print join(' ', scalar @$_, @$_), "\n" for @neighbours;
}

# Returns a matrix of edges.
sub read_graph {
	my ($path) = @_;
	open my $file, '<', $path or die "$path: $!\n";
	my ($vertices, @lines) = map { [split] } <$file>;
	my @edge;
	for my $a (0 .. $vertices->[0] - 1) {
		$edge[$a] = [(0) x $vertices->[0]];
		my (undef, @to) = @{ $lines[$a] };
		$edge[$a][$_] = 1 for @to;
	}
	return \@edge;
}

my ($pattern, $target, $induced, @to, %used);

sub fits {
	my ($b) = @_;
	my $a = @to;
	for my $other (0 .. $a) {
		my $there = $target->[$b][$other == $a ? $b : $to[$other]];
		my $edge = $pattern->[$a][$other];
		return 0 if $edge && !$there || $induced && $there && !$edge;
	}
	return 1;
}

sub count {
	return 1 if @to == @$pattern;
	my $ways = 0;
	for my $b (0 .. $#$target) {
		next if $used{$b} || !fits($b);
		$used{$b} = 1;
		push @to, $b;
		$ways += count();
		pop @to;
		delete $used{$b};
	}
	return $ways;
}

if ($command eq 'make') {
	make(@words);
} else {
	$pattern = read_graph($words[0]);
	$target = read_graph($words[1]);
	$induced = @words > 2;
	print count(), "\n";
}
