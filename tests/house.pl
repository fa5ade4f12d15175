# house.pl: how the files of the library depend on each other, by the symbols of
# their objects. Run in the build directory.
#
#	house.pl up SOURCE	calls from a layer to one above it
#	house.pl circles SOURCE	circles of more than two files
#	house.pl headers SOURCE	headers that declare functions of more than two
#				.c files
#	house.pl names SOURCE	names that static functions of two files share
#	house.pl kinds SOURCE	kinds of messages that the list of services in
#				HACKING.md lacks, or that no service has
#	house.pl exports SOURCE	differences between libsateen.sym and the functions
#				that installed headers declare
#
# Prints a line for each violation, and nothing else.
use strict;
use warnings;

my ($command, $source) = @ARGV;
my @layers = qw(transport emul node search constants steal parts launch);
my %level = map { $layers[$_] => $_ } 0 .. $#layers;
my (%home, %needs); # symbol => file that defines it; file => symbols

# read_objects: fills %home and %needs. Files are named without a suffix.
sub read_objects {
	open(my $nm, '-|', "find @layers -name '*.o' -exec nm -A -P -g {} +")
		or die;
	while (<$nm>) {
		my ($object, $symbol, $type) = /^(\S+)\.o: (\S+) (\w)/ or next;

		$object =~ s{\.libs/}{};
		$object =~ s/lib[a-z]+_la-//;
		# An earlier build may have left objects of removed files.
		next unless -e "$source/$object.c" || -e "$source/$object.S";
		if ($type =~ /[Uw]/) {
			$needs{$object}{$symbol} = 1;
		} else {
			$home{$symbol} = $object;
			$needs{$object} ||= {};
		}
	}
	die "no objects" unless %home;
}

sub layer { $_[0] =~ m{^(\w+)/} ? $level{$1} : undef }

# uses FILE: the other files of the library that it needs.
sub uses {
	my ($file) = @_;
	my %used = map { $home{$_} => 1 } grep { $home{$_} } keys %{$needs{$file}};

	delete $used{$file};
	return sort keys %used;
}

sub print_up {
	for my $file (sort keys %needs) {
		for my $other (uses($file)) {
			print "$file needs $other\n"
				if layer($other) > layer($file);
		}
	}
}

# reached FILE: all files that it needs, and that these need, and so on.
sub reached {
	my @open = uses($_[0]);
	my %seen;

	while (defined(my $file = pop @open)) {
		next if $seen{$file}++;
		push @open, uses($file);
	}
	return \%seen;
}

sub print_circles {
	my %reached = map { $_ => reached($_) } keys %needs;
	my %done;

	for my $file (sort keys %needs) {
		next if $done{$file} || !$reached{$file}{$file};
		my @circle = grep { $reached{$file}{$_} && $reached{$_}{$file} }
			sort keys %needs;
		$done{$_} = 1 for @circle;
		print "a circle: @circle\n" if @circle > 2;
	}
}

# declared TEXT: the functions that a header declares, not those that its inline
# functions call.
sub declared {
	my ($text) = @_;

	$text =~ s{/\*.*?\*/}{}gs;
	$text =~ s/^\s*#(?:[^\n]*\\\n)*[^\n]*//gm;
	1 while $text =~ s/\{[^{}]*\}/;/s;
	return $text =~ /\b(\w+)\s*\(/g;
}

sub print_headers {
	for my $header (split /\n/, `cd '$source' && find @layers -name '*.h'`) {
		next if $header =~ m{/sateen\w*\.h$}; # public
		open(my $in, '<', "$source/$header") or die;
		my $text = do { local $/; <$in> };
		my %files = map { $home{$_} => 1 } grep { $home{$_} } declared($text);

		print "$header: ", join(' ', sort keys %files), "\n"
			if keys %files > 2;
	}
}

sub print_names {
	my %files;

	for my $file (split /\n/, `cd '$source' && find @layers -name '*.c'`) {
		open(my $in, '<', "$source/$file") or die;
		my $text = do { local $/; <$in> };

		$files{$1}{$file} = 1
			while $text =~ /^static [^;={}]*?\n(\w+)\(/mg;
	}
	for my $name (sort keys %files) {
		my @files = sort keys %{$files{$name}};

		print "$name: @files\n" if @files > 1;
	}
}

# public: the functions that installed headers declare.
sub public {
	my %public;

	for my $header (split /\n/, `cd '$source' && find @layers -name 'sateen*.h'`) {
		open(my $in, '<', "$source/$header") or die;
		my $text = do { local $/; <$in> };

		$text =~ s/extern "C" \{//g;
		$public{$_} = 1 for grep { $home{$_} } declared($text);
	}
	return %public;
}

sub print_exports {
	my %public = public();

	open(my $in, '<', "$source/libsateen.sym") or die;
	chomp(my @listed = <$in>);
	my %listed = map { $_ => 1 } @listed;
	for (sort keys %public) {
		print "$_ is not in libsateen.sym\n" unless $listed{$_};
	}
	for (@listed) {
		print "no installed header declares $_\n" unless $public{$_};
	}
}

# enumerators TEXT: the values of all enumerators in a header.
sub enumerators {
	my ($text) = @_;
	my %values;

	$text =~ s{/\*.*?\*/}{}gs;
	while ($text =~ /\benum\b[^{;]*\{([^}]*)\}/g) {
		my $value = -1;

		for (split /,/, $1) {
			/(\w+)\s*(?:=\s*(\d+))?/ or next;
			$value = defined $2 ? $2 : $value + 1;
			$values{$1} = $value;
		}
	}
	return %values;
}

# kinds: [number, name] of each kind of messages that a table of a service has.
sub kinds {
	my (%values, %kinds);

	for my $file (split /\n/, `cd '$source' && find @layers -name '*.[ch]'`) {
		next if $file =~ m{^parts/news/}; # of benchmarks, not of services
		open(my $in, '<', "$source/$file") or die;
		my $text = do { local $/; <$in> };

		%values = (%values, enumerators($text)) if $file =~ /h$/;
		while ($text =~ /struct stn_kind \w+\[.*?\] = \{(.*?)\n\};/gs) {
			my $table = $1;

			$kinds{$1} = uc $2 while $table =~
				/\{ (?:\.number = )?(STN_\w+),\s*(?:\.name = )?"([^"]+)"/g;
		}
	}
	return map { [$values{$_} // die("no value of $_"), $kinds{$_}] } keys %kinds;
}

sub print_kinds {
	my (%kinds, %listed);

	for (kinds()) {
		my ($number, $name) = @$_;

		print "$name and $kinds{$number} are both $number\n" if $kinds{$number};
		$kinds{$number} = $name;
	}
	open(my $in, '<', "$source/HACKING.md") or die;
	while (<$in>) {
		/^\| .* \| `\w+\/.*\.c` \| ([A-Z]+ \d+.*) \|$/ or next;
		$listed{$2} = $1 while s/([A-Z]+) (\d+)//;
	}
	for (sort { $a <=> $b } keys %kinds) {
		print "HACKING.md lacks $kinds{$_} $_\n"
			unless $listed{$_} && $kinds{$_} =~ /\b$listed{$_}\b/;
	}
	for (sort { $a <=> $b } keys %listed) {
		print "no service has $listed{$_} $_\n" unless $kinds{$_};
	}
}

my %commands = (up => \&print_up, circles => \&print_circles,
	headers => \&print_headers, names => \&print_names,
	exports => \&print_exports, kinds => \&print_kinds);
die "house.pl up | circles | headers | names | exports | kinds\n" unless $commands{$command};
read_objects();
$commands{$command}->();
