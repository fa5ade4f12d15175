#!/usr/bin/perl
# amber.pl: files of particles in netCDF's classic format with AMBER's conventions,
# made and read without netCDF's library.
#
#	amber.pl write [OPTION...] >FILE
#	amber.pl read FILE
#
# write makes a file of the particles on standard input: a line has the mass, the
# charge, three coordinates and three velocities. read prints the last frame in the
# same form, and before it a line with the numbers of frames and particles and the
# time.
#
#	--float          coordinates and velocities are of type float
#	--restart        without a dimension for frames
#	--frames N       the frame is there N times (default 1)
#	--without NAME   leave out a variable
#	--rename NAME    give a variable another name
#	--scale X        the velocities have the attribute scale_factor
#	--spatial N      how many numbers coordinates have (default 3)
#	--atoms N        claim another number of particles
#	--integers       coordinates are of type int
use strict;
use warnings;
use Getopt::Long;

my %bytes = (2 => 1, 4 => 4, 5 => 4, 6 => 8);
my %letter = (2 => 'a', 4 => 'l>', 5 => 'f>', 6 => 'd>');

my ($float, $restart, $integers, $frames, $spatial, $atoms, $scale);
my (%without, %rename);
my $what = shift // '';
($frames, $spatial) = (1, 3);
GetOptions('float' => \$float, 'restart' => \$restart, 'integers' => \$integers,
	'frames=i' => \$frames, 'spatial=i' => \$spatial, 'atoms=i' => \$atoms,
	'scale=f' => \$scale, 'without=s' => sub { $without{$_[1]} = 1 },
	'rename=s' => sub { $rename{$_[1]} = "other" }) or exit 2;

sub padded { my ($text) = @_; return $text . "\0" x (-length($text) % 4) }
sub name { my ($text) = @_; return pack('N', length $text) . padded($text) }

sub attributes
{
	my (@all) = @_;

	return pack('NN', 0, 0) if !@all;
	return pack('NN', 12, scalar @all) . join '', map {
		my ($name, $type, $value) = @$_;
		my $packed = $type == 2 ? $value : pack($letter{$type}, $value);

		name($name) . pack('NN', $type, length($packed) / $bytes{$type}) .
			padded($packed)
	} @all;
}

sub write_file
{
	my @rows = map { [ split ] } <STDIN>;
	my @dims = ([ 'frame', 0 ], [ 'atom', $atoms // scalar @rows ],
		[ 'spatial', $spatial ]);
	my $real = $integers ? 4 : $float ? 5 : 6;
	my @frame = $restart ? () : (0);
	my @variables = grep { !$without{$$_[0]} } (
		[ 'mass', 6, [ 1 ], [ map { $$_[0] } @rows ] ],
		[ 'charge', 6, [ 1 ], [ map { $$_[1] } @rows ] ],
		[ 'time', 6, [ @frame ], [ 2.5 ] ],
		[ 'coordinates', $real, [ @frame, 1, 2 ],
			[ map { @$_[2 .. 1 + $spatial] } @rows ] ],
		[ 'velocities', $float ? 5 : 6, [ @frame, 1, 2 ],
			[ map { @$_[5 .. 4 + $spatial] } @rows ] ]);
	my @data = map { padded(pack("$letter{$$_[1]}*", @{ $$_[3] })) } @variables;

	# The header's length doesn't depend on where the variables begin.
	my @begins = (0) x @variables;
	my $header;
	for (1, 2) {
		my $at = length($header // '');

		$header = "CDF\2" . pack('N', $restart ? 0 : $frames) .
			pack('NN', 10, scalar @dims) .
			join('', map { name($$_[0]) . pack('N', $$_[1]) } @dims) .
			attributes([ 'Conventions', 2,
				$restart ? 'AMBERRESTART' : 'AMBER' ]) .
			pack('NN', 11, scalar @variables);
		for my $pass (0, 1) { # variables with frames are behind the others
			for my $i (0 .. $#variables) {
				next if $pass != (grep { $_ == 0 } @{ $variables[$i][2] });
				$begins[$i] = $at;
				$at += length $data[$i];
			}
		}
		for my $i (0 .. $#variables) {
			my ($name, $type, $dims) = @{ $variables[$i] };

			$header .= name($rename{$name} // $name) .
				pack('N*', scalar @$dims, @$dims) .
				attributes($name eq 'velocities' && defined $scale ?
					[ 'scale_factor', 6, $scale ] : ()) .
				pack('NNQ>', $type, length $data[$i], $begins[$i]);
		}
	}
	my @with_frames = map { (grep { $_ == 0 } @{ $variables[$_][2] }) ? 1 : 0 }
		0 .. $#variables;
	print $header, map { $with_frames[$_] ? () : $data[$_] } 0 .. $#variables;
	for (1 .. ($restart ? 0 : $frames)) {
		print map { $with_frames[$_] ? $data[$_] : () } 0 .. $#variables;
	}
}

# The bytes of a file, and where the next number is.
my ($bytes, $at);
sub number { $at += 4; return unpack 'N', substr $bytes, $at - 4, 4 }
sub text
{
	my $length = number();

	$at += $length + -$length % 4;
	return substr $bytes, $at - $length - (-$length % 4), $length;
}

sub skip_attributes
{
	number();
	for (1 .. number()) {
		text();
		my ($type, $count) = (number(), number());
		my $length = $bytes{$type} * $count;

		$at += $length + -$length % 4;
	}
}

sub read_file
{
	my ($path) = @_;
	my (@dims, %variables, $record);

	open my $file, '<:raw', $path or die "$path: $!\n";
	$bytes = join '', <$file>;
	die "$path: not CDF-2\n" if substr($bytes, 0, 4) ne "CDF\2";
	$at = 4;
	my $frames = number();
	number();
	push @dims, [ text(), number() ] for 1 .. number();
	skip_attributes();
	number();
	for (1 .. number()) {
		my $name = text();
		my @which = map { number() } 1 .. number();

		skip_attributes();
		my ($type, $size) = (number(), number());
		my $with_frames = grep { $dims[$_][1] == 0 } @which;

		$at += 8;
		$variables{$name} = [ $type, $size, $with_frames,
			unpack('Q>', substr $bytes, $at - 8, 8) ];
		$record += $size if $with_frames;
	}
	my ($count) = map { $$_[1] } grep { $$_[0] eq 'atom' } @dims;
	my %values = map {
		my ($type, $size, $with_frames, $begin) = @{ $variables{$_} };

		$begin += ($frames - 1) * $record if $with_frames;
		$_ => [ unpack "$letter{$type}*", substr $bytes, $begin, $size ]
	} keys %variables;

	printf "%d %d %.17g\n", $frames, $count, $values{time}[0];
	for my $i (0 .. $count - 1) {
		print join(' ', map { sprintf '%.17g', $_ // 0 } $values{mass}[$i],
			$values{charge}[$i], map { @{ $values{$_} }[3 * $i .. 3 * $i + 2] }
			'coordinates', 'velocities'), "\n";
	}
}

if ($what eq 'write') {
	binmode STDOUT;
	write_file();
} elsif ($what eq 'read' && @ARGV == 1) {
	read_file(@ARGV);
} else {
	die "usage: amber.pl write [OPTION...] | read FILE\n";
}
