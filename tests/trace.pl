#!/usr/bin/perl
# trace.pl: reads files of --trace.
#
#	trace.pl check FILE	whether the file is well formed: spans of a thread lie
#				inside each other, and an arrow joins the two spans of
#				one message, each of which names the other's node, and
#				arrives after it has left. If no event was lost, each
#				message that was taken before main ended has an arrow
#	trace.pl count FILE CATEGORY [NAME]
#				the number of events
#	trace.pl events FILE CATEGORY
#				a line for each: time, node, name, arguments
#	trace.pl about FILE MEMBER
use strict;
use warnings;
use JSON::PP;

my ($what, $path, @arguments) = @ARGV;
open(my $file, '<', $path) or die "$path: $!\n";
my $trace = do { local $/; JSON::PP->new->decode(<$file>) };
my @events = @{$trace->{traceEvents}};
my $wrong = 0;

sub complain {
	my ($text, $event) = @_;
	print "# $text: ", JSON::PP->new->canonical->encode($event), "\n";
	$wrong = 1;
}

# Whole nanoseconds, which floating-point numbers hold.
sub ns { my ($us) = @_; return sprintf('%.0f', $us * 1000) + 0 }
sub start { my ($event) = @_; return ns($event->{ts}) }
sub end { my ($event) = @_; return start($event) + ns($event->{dur}) }
sub thread { my ($event) = @_; return "$event->{pid} $event->{tid}" }

sub check_nesting {
	my %spans;
	push @{$spans{thread($_)}}, $_ for grep { $_->{ph} eq 'X' } @events;
	for my $all (values %spans) {
		my @open;
		for my $span (sort { start($a) <=> start($b) ||
		    end($b) <=> end($a) } @$all) {
			pop @open while @open && end($open[-1]) <= start($span);
			complain('a span ends outside', $span)
			    if @open && end($open[-1]) < end($span);
			push @open, $span;
		}
	}
}

sub check_pairs {
	my %open;
	for my $event (grep { $_->{ph} =~ /^[be]$/ } @events) {
		my $id = "$event->{pid} $event->{cat} $event->{id2}{local}";
		if ($event->{ph} eq 'b') {
			$open{$id} = $event;
		} else {
			my $begin = delete $open{$id};
			complain('a span without a beginning', $event)
			    if !$begin;
			complain('a span that ends first', $event)
			    if $begin && start($event) < start($begin);
		}
	}
	complain('a span without an end', $_) for values %open;
}

sub check_arrows {
	my (%from, %arrived);
	for my $from (grep { $_->{flow_out} } @events) {
		complain('two arrows of one number', $from)
		    if $from{$from->{bind_id}};
		$from{$from->{bind_id}} = $from;
	}
	for my $to (grep { $_->{flow_in} } @events) {
		my $from = delete $from{$to->{bind_id}};
		complain('an arrow from nowhere', $to), next if !$from;
		complain('an arrow between other messages', $to)
		    if $from->{cat} ne 'send' || $to->{cat} ne 'take' ||
			$from->{name} ne $to->{name} ||
			$from->{args}{number} != $to->{args}{number} ||
			$from->{args}{node} != $to->{pid} - 1 ||
			$to->{args}{node} != $from->{pid} - 1;
		$arrived{$to} = 1;
		complain('an arrow into the past', $to)
		    if start($to) + 2 * $trace->{otherData}{clock_error_ns}
			< start($from);
	}
	complain('an arrow to nowhere', $_) for values %from;
	return if $trace->{otherData}{lost_events} || of('a node has died');
	my ($main) = of('main');
	for (of('take')) {
		complain('a message from nowhere', $_)
		    if !$arrived{$_} && end($_) < end($main);
	}
}

sub of {
	my ($category, $name) = @_;
	return grep { ($_->{cat} // '') eq $category && $_->{ph} ne 'e' &&
	    (!defined $name || $_->{name} eq $name) } @events;
}

if ($what eq 'check') {
	check_nesting();
	check_pairs();
	check_arrows();
} elsif ($what eq 'count') {
	print scalar(of(@arguments)), "\n";
} elsif ($what eq 'events') {
	for (sort { start($a) <=> start($b) } of(@arguments)) {
		my $arguments = $_->{args};
		print join(' ', start($_), $_->{pid} - 1, $_->{name},
		    map { "$_=$arguments->{$_}" } sort keys %$arguments), "\n";
	}
} else {
	print $trace->{otherData}{$arguments[0]}, "\n";
}
exit $wrong;
