/*
 * info.c: prints what `sateen info` shows: transports, balancers and settings.
 */
#include <stdlib.h>

#include "launch/settings.h"
#include "launch/tool.h"
#include "steal/balancers.h"
#include "node/config.h"
#include "launch/survey/fabrics.h"
#include "emul/sim_transport.h"
#include "transport/backends.h"

int
stn_info(FILE *out)
{
	struct stn_config config;
	struct stn_why why;

	stn_config_defaults(&config);
	if (stn_config_environment(&config, &why)) {
		fprintf(stderr, "sateen: %s\n", why.text);
		return EXIT_FAILURE;
	}
	fputs("transports\n", out);
	stn_transport_list(&stn_transport_sim, out);
	fputc('\n', out);
	stn_fabrics_list("", out);
	fputs("\nbalancers\n", out);
	stn_balancer_list(out);
	fputs("\nsettings: --NAME VALUE for `sateen run`, or the variable "
	      "STN_NAME\n",
	      out);
	stn_config_list(&config, out);
	return EXIT_SUCCESS;
}
