# bars.gp: draws bars by program and network, in a panel for each balancer. The
# caller sets output, heading, label, balancers (names separated by spaces), data
# (a directory with a file for each balancer), columns, top (the largest number in
# all files) and logarithmic.

panels = words(balancers)
if (output[strlen(output)-2:] eq 'svg') {
	set terminal svg size 1200, 60 + 200 * panels background rgb 'white' noenhanced
} else {
	set terminal pngcairo size 1200, 60 + 200 * panels noenhanced
}
set output output
set datafile separator tab
set datafile missing '-'
set style data histograms
set style histogram clustered gap 1.5
set style fill solid 0.9 noborder
set grid ytics back linetype 1 linecolor rgb '#dddddd'
set border 3
set tics nomirror scale 0.5
set ylabel label
if (logarithmic) {
	set logscale y
	set yrange [1:2 * top]
} else {
	set yrange [0:1.05 * top]
}
set linetype 1 linecolor rgb '#333333'
set linetype 2 linecolor rgb '#2c7fb8'
set linetype 3 linecolor rgb '#7fcdbb'
set linetype 4 linecolor rgb '#d95f0e'
set linetype 5 linecolor rgb '#fec44f'
first_colour = columns < 5 ? 2 : 1
set key outside top horizontal center samplen 1 width -4
set multiplot layout panels, 1 title heading
do for [panel = 1:panels] {
	balancer = word(balancers, panel)
	set label 1 balancer at graph 0.005, 0.93 font ',14' front
	plot for [i = 1:columns] data.'/'.balancer using i + 1:xtic(1) \
		linetype first_colour + i - 1 title columnheader(i + 1)
	unset key
}
unset multiplot
