# Rows.pm: the results of a benchmark for `make bench-all`: lines of the file that
# $BENCH_ROWS names (README.md).
package Rows;
use strict;
use warnings;
use Exporter 'import';
our @EXPORT = ('row');

# Adds a row; does nothing without $BENCH_ROWS. Without a verdict, the first number of the
# value decides, if the target is such as "<= 1.1".
sub row
{
	my ($name, $target, $value, $spread, $verdict) = map { $_ // '' } @_[0 .. 4];

	return if !$ENV{BENCH_ROWS};
	open my $file, '>>', $ENV{BENCH_ROWS} or die "$ENV{BENCH_ROWS}: $!\n";
	print $file join("\t", 'row', $name, $target, $value, $spread, $verdict), "\n";
	close $file or die "$ENV{BENCH_ROWS}: $!\n";
}

1;
