#include "launch/open.h"

#include <string.h>

#include "emul/delay.h"
#include "emul/sim_transport.h"

static enum stn_err
open_simulated(struct stn_sim *sim, const struct stn_opening *opening,
	       struct stn_transport **transport_p, struct stn_why *why)
{
	if (!sim)
		return stn_because(why, STN_MISSING,
				   "only a simulation has transport sim; use "
				   "`sateen sim`");
	return stn_sim_open(sim, opening, transport_p, why);
}

enum stn_err
stn_open_transport(const char *name, struct stn_sim *sim,
		   const struct stn_opening *opening,
		   struct stn_transport **transport_p, struct stn_why *why)
{
	struct stn_transport *backend;
	enum stn_err err;

	if (!strcmp(name, STN_SIM_TRANSPORT))
		return open_simulated(sim, opening, transport_p, why);
	if (!stn_topology_slow(opening->topology))
		return stn_transport_open(name, opening, transport_p, why);
	err = stn_transport_open(name, opening, &backend, why);
	if (err)
		return err;
	err = stn_delay_wrap(backend, opening, transport_p, why);
	if (err)
		stn_transport_close(backend, 0);
	return err;
}
