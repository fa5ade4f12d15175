#include "apps/nbody/options.h"

#include "apps/app.h"
#include "apps/random.h"

#define STEPS_MOST 1000000000

static const char help[] =
	"usage: nbody [--seq] [--particles N] [--distribution NAME]\n"
	"             [--error E] [--steps N] [--step T]\n"
	"Moves particles by their gravity, which the fast multipole method "
	"sums.\n"
	"\n"
	"  -n, --particles N        particles (default 10000)\n"
	"  -d, --distribution NAME  uniform, gaussian, corner or plummer\n"
	"                           (default plummer)\n"
	"      --seed N             of their random places (default 1)\n"
	"      --charges            charges that cancel, instead of gravity\n"
	"  -e, --error E            relative error of the potential, 1e-9 to\n"
	"                           1e-2 (default 1e-4)\n"
	"      --direct             sum directly, without that method\n"
	"  -t, --steps N            steps (default 10)\n"
	"      --step T             length of a step in time (default 0.001)\n"
	"      --softening S        distance r counts as sqrt(r^2 + S^2)\n"
	"                           (default 0)\n"
	"      --part N             particles in a part, at most (default: a\n"
	"                           32nd of all, but from 1000 to 15000)\n"
	"      --check N            measure the error at N particles\n"
	"      --read FILE          begin with the last frame of a netCDF "
	"file\n"
	"                           with AMBER's conventions\n"
	"      --write FILE         write the last state to such a file\n"
	"      --every N            write a frame each N steps, too\n"
	"      --png FILE           write a picture of the density\n"
	"  -s, --seq                the same method on one processor\n"
	"  -h, --help               show this\n";

static int
read_numbers(struct nbody_options *to)
{
	if (to->read && (to->particles || to->distribution_text))
		return app_misuse("--read leaves no choice of particles");
	if (!to->particles)
		to->particles = 10000;
	if (!to->distribution_text)
		to->distribution_text = "plummer";
	if (!nbody_distribution_find(to->distribution_text, &to->distribution))
		return app_misuse("NAME must be uniform, gaussian, corner or "
				  "plummer, not '%s'",
				  to->distribution_text);
	if (!app_real(to->error_text, 1e-9, 1e-2, &to->error))
		return app_misuse("E must be a number from 1e-9 to 1e-2, not "
				  "'%s'",
				  to->error_text);
	if (!app_real(to->step_text, 0, 1e9, &to->step))
		return app_misuse("T must be a number from 0 to 1e9, not '%s'",
				  to->step_text);
	if (!app_real(to->softening_text, 0, 1e9, &to->softening))
		return app_misuse("S must be a number from 0 to 1e9, not '%s'",
				  to->softening_text);
	if (to->softening > 0 && !to->direct)
		return app_misuse("--softening needs --direct");
	if (to->write && !*to->write)
		return app_misuse("--write needs the name of a file");
	if (to->read && !*to->read)
		return app_misuse("--read needs the name of a file");
	if (to->png && !*to->png)
		return app_misuse("--png needs the name of a file");
	if (to->every && !to->write)
		return app_misuse("--every needs --write");
	return APP_GO_ON;
}

int
nbody_options_read(int argc, char **argv, struct nbody_options *to)
{
	const struct app_option table[] = {
		{ 'n', "particles", "N", .number = &to->particles, .least = 1,
		  .most = NBODY_MOST },
		{ 'd', "distribution", "NAME", .text = &to->distribution_text },
		{ 0, "seed", "N", .number = &to->seed, .most = APP_SEED_MOST },
		{ 0, "charges", .flag = &to->charges },
		{ 'e', "error", "E", .text = &to->error_text },
		{ 0, "direct", .flag = &to->direct },
		{ 't', "steps", "N", .number = &to->steps, .most = STEPS_MOST },
		{ 0, "step", "T", .text = &to->step_text },
		{ 0, "softening", "S", .text = &to->softening_text },
		{ 0, "part", "N", .number = &to->part, .least = 1,
		  .most = NBODY_MOST },
		{ 0, "check", "N", .number = &to->check, .most = NBODY_MOST },
		{ 0, "read", "FILE", .text = &to->read },
		{ 0, "write", "FILE", .text = &to->write },
		{ 0, "every", "N", .number = &to->every, .most = STEPS_MOST },
		{ 0, "png", "FILE", .text = &to->png },
		{ 's', "seq", .flag = &to->sequential },
		{ 0 },
	};
	int status;

	*to = (struct nbody_options){ .seed = 1,
				      .steps = 10,
				      .error_text = "1e-4",
				      .step_text = "0.001",
				      .softening_text = "0" };
	status = app_options(argc, argv, help, table);
	return status == APP_GO_ON ? read_numbers(to) : status;
}
