#!/usr/bin/perl
# clique.pl VERTICES PER_CENT SEED FILE: writes a random graph to the file, and prints
# the size of its largest clique and the number of places that BBMC visits: the algorithm
# of P. San Segundo and others (2011) with vertices by degree (P. Prosser, "Exact
# algorithms for maximum clique", 2012, BBMC1). Sets are strings of zeros and ones.
use strict;
use warnings;

my ($vertices, $percent, $seed, $file) = @ARGV;
my (@row, @degree, @order, @near, $places, $best);

sub chance {
	$seed = ($seed * 1103515245 + 12345) % 2147483648;
	return int($seed / 65536) % 100;
}

# colour SET: the vertices in the order of their colours, each with its colour.
sub colour {
	my ($rest) = @_;
	my @list;

	for (my $colour = 1; $rest =~ /1/; $colour++) {
		my $open = $rest;

		while (($_ = index($open, '1')) >= 0) {
			my $vertex = $_;

			substr($rest, $vertex, 1) = '0';
			substr($open, $vertex, 1) = '0';
			# Characters 0 and 1 differ in one bit: this leaves non-neighbours.
			$open = ($open & ~$near[$vertex]) | '0' x $vertices;
			push @list, [$vertex, $colour];
		}
	}
	return @list;
}

sub expand {
	my ($set, $size) = @_;

	$places++;
	for (reverse(colour($set))) {
		my ($vertex, $colour) = @$_;
		my $next = $set & $near[$vertex];

		return if $size + $colour <= $best;
		if ($next =~ /1/) {
			expand($next, $size + 1);
		} elsif ($size + 1 > $best) {
			$best = $size + 1;
		}
		substr($set, $vertex, 1) = '0';
	}
}

my @edges;
for my $i (0 .. $vertices - 1) {
	for my $j (0 .. $i - 1) {
		next if chance() >= $percent;
		push @edges, sprintf("e %d %d\n", $i + 1, $j + 1);
		$row[$i]{$j} = $row[$j]{$i} = 1;
	}
}
open(my $out, '>', $file) or die;
print $out "c a random graph\np edge $vertices ", scalar(@edges), "\n", @edges;
close($out) or die;
@degree = map { scalar(keys %{$row[$_]}) } 0 .. $vertices - 1;
@order = sort { $degree[$b] <=> $degree[$a] || $a <=> $b } 0 .. $vertices - 1;
@near = map { my $i = $_; join('', map { $row[$order[$i]]{$order[$_]} ? 1 : 0 }
	0 .. $vertices - 1) } 0 .. $vertices - 1;
($places, $best) = (0, 0);
expand('1' x $vertices, 0);
print "$best $places\n";
