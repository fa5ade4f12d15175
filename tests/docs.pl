# docs.pl: runs the commands that a document shows, and compares what they print.
#
#	docs.pl DOCUMENT LACKS
#
# Fenced blocks of the document:
#
#	```sh [words]	lines that begin with "$ " are commands, the others what they
#			print. A backslash continues a command on the next line.
#	```c file=NAME	the block is written to NAME; so are blocks of other languages
#
# The words of a block of commands:
#
#	about		all numbers may differ, not only those with a decimal point
#	exact		no number may differ, and no line is printed that is not shown
#	cluster, long, terminal		never run here: another kind of machine, more than
#			a minute, a terminal
#	race		tried up to three times, because it kills or joins nodes while a
#			program runs, and the machine may be busy; what a command prints
#			for which nothing is shown counts for the next command
#	other words	run unless LACKS, a list with commas, has the word
#
# A line `...` stands for any lines. All commands of a document run in one shell, which
# starts in the current directory. Prints a line for each block: its status (0 is
# success, or "skip REASON"), a tab, and what was tested. Lines with # explain a failure.
use strict;
use warnings;

my ($document, $lacks) = @ARGV;
my %never = (cluster => 'several hosts', long => 'more than a minute',
	terminal => 'a terminal');
my %lacks = map { $_ => 1 } split /,/, $lacks // '';
my $mark = '@@' . $$;

# blocks: the fenced blocks, each { line, language, words, lines }.
sub blocks {
	my ($block, @all);

	open(my $file, '<', $document) or die "$document: $!";
	while (<$file>) {
		chomp;
		if ($block && /^```\s*$/) {
			push @all, $block;
			undef $block;
		} elsif ($block) {
			push @{$block->{lines}}, $_;
		} elsif (/^```(\w*)\s*(.*)$/) {
			$block = { line => $., language => $1, lines => [],
				words => [split ' ', $2] };
		}
	}
	die "$document: a block has no end" if $block;
	return @all;
}

# commands BLOCK: its commands, each { text, prints => [lines] }.
sub commands {
	my ($block) = @_;
	my (@all, $more);

	for (@{$block->{lines}}) {
		if ($more) {
			$all[-1]{text} .= "\n$_";
		} elsif (/^\$ (.*)/) {
			push @all, { text => $1, prints => [] };
		} else {
			push @{$all[-1]{prints}}, $_ if @all;
			next;
		}
		$more = /\\$/;
	}
	return @all;
}

# reason BLOCK: what its commands lack here, or undef.
sub reason {
	my ($block) = @_;

	for (@{$block->{words}}) {
		return $never{$_} if $never{$_};
		return $_ if $lacks{$_};
	}
	return commands($block) ? undef : 'a line that begins with "$ "';
}

# pattern LINE HOW: what a line that was printed must match. HOW: exact, about or ''.
sub pattern {
	my ($line, $how) = @_;
	my $text = join '\s+', map { quotemeta } split ' ', $line;

	$text =~ s/\d+(?:\\\.\d+)+/[\\d.]+/g if $how ne 'exact';
	$text =~ s/(?<![\[\\])\d+/\\d+/g if $how eq 'about';
	return qr/^\s*$text\s*$/;
}

# missing SHOWN PRINTED HOW: the first line that was not printed, or nothing.
sub missing {
	my ($shown, $printed, $how) = @_;
	my @rest = grep { /\S/ } @$printed;
	my $skips = $how ne 'exact';

	for my $line (@$shown) {
		$skips = 1 if $line =~ /^\s*\.\.\.$/;
		next if $line =~ /^\s*(\.\.\.)?$/;
		my $pattern = pattern($line, $how);
		while ($skips && @rest && $rest[0] !~ $pattern) {
			shift @rest;
		}
		return $line unless @rest && $rest[0] =~ $pattern;
		shift @rest;
		$skips = $how ne 'exact';
	}
	return @rest && !$skips ? 'the end before ' . $rest[0] : undef;
}

# run IN OUT COMMAND: runs it in the shell, and returns its status and its lines.
sub run {
	my ($in, $out, $command) = @_;
	my @lines;

	# The command does not read the rest of the shell's input.
	print $in "{ $command\n} </dev/null\n",
		"status=\$?; echo; echo $mark \$status\n";
	while (<$out>) {
		chomp;
		return ($1, @lines) if /^\Q$mark\E (\d+)/;
		push @lines, $_;
	}
	return ("the shell ended", @lines);
}

# write_file IN OUT BLOCK: writes the block to the file that it names.
sub write_file {
	my ($in, $out, $block) = @_;
	my ($name) = map { /^file=(.*)/ ? $1 : () } @{$block->{words}} or return;

	run($in, $out, join "\n", "cat >$name <<'$mark'", @{$block->{lines}}, $mark);
}

# try_once IN OUT BLOCK: runs its commands. Returns 0 if all do what the block shows.
sub try_once {
	my ($in, $out, $block) = @_;
	my ($how) = (grep({ /^(exact|about)$/ } @{$block->{words}}), '');
	my $races = grep { $_ eq 'race' } @{$block->{words}};
	my ($failed, @early) = 0;

	for my $command (commands($block)) {
		my ($status, @lines) = run($in, $out, $command->{text});

		unshift @lines, @early;
		@early = $races && !@{$command->{prints}} ? @lines : ();
		my $line = missing($command->{prints}, \@lines, $how);

		next if $status eq '0' && !defined $line;
		$failed = 1;
		print "# \$ $command->{text}\n";
		print "# status $status", defined $line ? ", lacks: $line" : '', "\n";
		print map { "# > $_\n" } @lines;
	}
	return $failed;
}

sub check {
	my ($in, $out, $block) = @_;
	my $tries = grep({ $_ eq 'race' } @{$block->{words}}) ? 3 : 1;

	while ($tries--) {
		return 0 if try_once($in, $out, $block) == 0;
	}
	return 1;
}

use IPC::Open2;
$| = 1;
my $pid = open2(my $out, my $in, 'exec bash 2>&1');
$in->autoflush(1);
my $name = $document =~ s{.*/(docs/|README)}{$1}r;
for my $block (blocks()) {
	write_file($in, $out, $block);
	next unless $block->{language} eq 'sh';
	my $reason = reason($block);
	my $what = "the commands of $name, line $block->{line}";

	print defined $reason ? "skip $reason" : check($in, $out, $block),
		"\t$what\n";
}
close $in;
waitpid $pid, 0;
