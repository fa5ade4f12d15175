# stats.pl: reads the JSON of `--stats=json:FILE`, with perl's own JSON::PP.
#
#	perl stats.pl get FILE MEMBER...	prints values: "total.spawned"
#	perl stats.pl describe MAN FILE...	checks that the man page describes
#						all members in the files, and
#						no others
use strict;
use warnings;
use JSON::PP;

sub parsed {
	my ($name) = @_;
	open(my $file, '<', $name) or die "$name: $!\n";
	local $/ = undef;
	return JSON::PP->new->decode(<$file>);
}

sub get {
	my ($name, @members) = @_;
	my $stats = parsed($name);
	for my $member (@members) {
		my $value = $stats;
		for my $step (split /[.\[\]]+/, $member) {
			$value = ref $value eq 'ARRAY' ? $value->[$step]
			    : $value->{$step};
			defined $value or die "$name: no $member\n";
		}
		print JSON::PP::is_bool($value)
		    ? ($value ? 'true' : 'false') : $value, "\n";
	}
}

# walk: collects the paths of all leaves, and their types.
sub walk {
	my ($value, $path, $found) = @_;
	if (ref $value eq 'HASH') {
		walk($value->{$_}, $path eq '' ? $_ : "$path.$_", $found)
		    for keys %$value;
	} elsif (ref $value eq 'ARRAY') {
		walk($_, $path . '[]', $found) for @$value;
	} else {
		my $text = JSON::PP->new->allow_nonref->encode($value);
		$found->{$path} = JSON::PP::is_bool($value) ? 'boolean'
		    : $text =~ /^"/ ? 'string'
		    : $text =~ /^\d+$/ ? 'integer' : 'number';
	}
}

# described: a man page's members, ".It Va NAME Pq TYPE", as patterns.
sub described {
	my ($man) = @_;
	my @members;
	open(my $file, '<', $man) or die "$man: $!\n";
	while (<$file>) {
		next unless /^\.It Va (\S+) Pq (\w+)$/;
		my ($name, $type) = ($1, $2);
		my $pattern = quotemeta $name;
		$pattern =~ s/\\\*/[^.\\[]+/g;
		push @members, [$name, qr/^$pattern$/, $type];
	}
	return @members;
}

# fits: compares types. An integer fits a number, because the JSON parser turns
# 1.000000 into 1.
sub fits {
	my ($is, $should) = @_;
	return $is eq $should || $is eq 'integer' && $should eq 'number';
}

sub describe {
	my ($man, @names) = @_;
	my (@members, %used, $wrong);
	@members = described($man);
	for my $name (@names) {
		my %found;
		walk(parsed($name), '', \%found);
		for my $path (sort keys %found) {
			my ($match) = grep { $path =~ $_->[1] } @members;
			if (!$match) {
				print "# not described: $path\n";
				$wrong = 1;
			} elsif (!fits($found{$path}, $match->[2])) {
				print "# $path: $found{$path}, "
				    . "not $match->[2]\n";
				$wrong = 1;
			}
			$used{$match->[0]} = 1 if $match;
		}
	}
	for (grep { !$used{$_->[0]} } @members) {
		print "# not there: $_->[0]\n";
		$wrong = 1;
	}
	return $wrong ? 1 : 0;
}

my $command = shift // '';
exit(get(@ARGV) ? 0 : 1) if $command eq 'get' && @ARGV > 1;
exit(describe(@ARGV)) if $command eq 'describe' && @ARGV > 1;
die "usage: stats.pl get FILE MEMBER... | describe MAN FILE...\n";
