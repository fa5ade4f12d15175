# balls.awk: writes the "sphereflake" of Eric Haines' Standard Procedural
# Databases as NFF: a ball with nine balls of a third of its radius on it, and
# so on, above a square floor.
#
#	awk -v level=2 -f balls.awk >balls2.nff
#	awk -v level=4 -v seed=7 -f balls.awk >balls4.nff
#
# The nine sit like the neighbours of a ball in a closest packing: six around
# the equator, three above. Up is where the ball comes from; a child's up is
# turned from its parent's by the shortest turn that brings z to it. With a seed,
# from 1 to 2147483646, each ball's children are besides turned about its up.

# The "minimal standard" generator of Park and Miller: the same in every awk.
function random() {
	seed = seed * 16807 % 2147483647
	return seed / 2147483647
}

function ball(level, x, y, z, r, ux, uy, uz,	i, s, c, dx, dy, dz, ax, ay, d, \
	      turn) {
	printf "s %.9g %.9g %.9g %.9g\n", x, y, z, r
	if (!level)
		return
	turn = seed ? 360 * random() : 0
	for (i = 0; i < 9; i++) {
		# The direction when up is z, ...
		c = i < 6 ? 1 : sqrt(1 / 3)
		s = (i < 6 ? 15 + 60 * i : 45 + 120 * i) + turn
		s = s * atan2(0, -1) / 180
		dx = c * cos(s)
		dy = c * sin(s)
		dz = i < 6 ? 0 : sqrt(2 / 3)
		# ... turned by Rodrigues' formula about z cross up.
		ax = -uy
		ay = ux
		# Straight down, no turn is the shortest: mirror it.
		d = 1 + uz > 1e-6 ? (ax * dx + ay * dy) / (1 + uz) : 0
		child(level, x, y, z, r, uz * dx + ay * dz + ax * d, \
		      uz * dy - ax * dz + ay * d, \
		      uz * dz + ax * dy - ay * dx)
	}
}

function child(level, x, y, z, r, dx, dy, dz,	far) {
	far = r + r / 3
	ball(level - 1, x + far * dx, y + far * dy, z + far * dz, r / 3, \
	     dx, dy, dz)
}

BEGIN {
	print "# Sphereflake of level " level \
		(seed ? ", seed " seed : "") ", written by balls.awk."
	print "v"
	print "from 2.1 1.3 1.7"
	print "at 0 0 0"
	print "up 0 0 1"
	print "angle 45"
	print "hither 0.01"
	print "resolution 512 512"
	print "b 0.078 0.361 0.753"
	print "l 4 3 2"
	print "l 1 -4 4"
	print "l -3 1 5"
	print "f 1 0.75 0.33 0.8 0 0 0 1"
	print "p 4"
	print "12 12 -0.5\n-12 12 -0.5\n-12 -12 -0.5\n12 -12 -0.5"
	print "f 1 0.9 0.7 0.5 0.5 45.2776 0 1"
	ball(level, 0, 0, 0, 0.5, 0, 0, 1)
}
