/*
 * ofi_provider.c: the names of providers in libfabric's versions, and which
 * entry of fi_getinfo's list the chosen network card selects. The lists are made
 * up.
 */
#include <rdma/fabric.h>
#include <stdio.h>
#include <string.h>

#include "tests/tap.h"
#include "transport/ofi/ofi_provider.h"

/* An entry of the list. @card  NULL if the provider doesn't tell */
struct entry {
	const char *provider, *domain, *card;
};

#define MOST 8

static struct made {
	struct fi_info info;
	struct fi_fabric_attr fabric;
	struct fi_domain_attr domain;
	struct fid_nic nic;
	struct fi_device_attr device;
} made[MOST];

static const struct fi_info *
make_list(const struct entry *entries, size_t count)
{
	memset(made, 0, sizeof(made));
	for (size_t i = 0; i < count; i++) {
		struct made *at = &made[i];

		at->info.fabric_attr = &at->fabric;
		at->info.domain_attr = &at->domain;
		at->fabric.prov_name = (char *)entries[i].provider;
		at->domain.name = (char *)entries[i].domain;
		at->nic.device_attr = &at->device;
		at->device.name = (char *)entries[i].card;
		if (entries[i].card)
			at->info.nic = &at->nic;
		if (i + 1 < count)
			at->info.next = &made[i + 1].info;
	}
	return &made[0].info;
}

static bool
picks(const char *provider, const char *device, size_t expected)
{
	const struct fi_info *picked =
		ofi_provider_pick(&made[0].info, provider, device);

	if (picked == &made[expected].info)
		return true;
	printf("# of %s: %s\n", device ? device : "any",
	       picked ? picked->domain_attr->name : "none");
	return false;
}

static void
test_cards(void)
{
	static const struct entry verbs[] = {
		{ "verbs;ofi_rxm", "mlx5_10", "mlx5_10" },
		{ "tcp;ofi_rxm", "mlx5_1", NULL },
		{ "verbs;ofi_rxm", "mlx5_1", "mlx5_1" },
		{ "verbs;ofi_rxm", "mlx5_1", "mlx5_1" },
	};

	make_list(verbs, 4);
	tap_ok(picks("verbs;ofi_rxm", "mlx5_1:1", 2) &&
		       picks("verbs;ofi_rxm", "mlx5_1", 2),
	       "the first entry of the chosen card with the same provider is "
	       "picked");
	tap_ok(picks("verbs;ofi_rxm", "auto", 0) &&
		       picks("verbs;ofi_rxm", NULL, 0),
	       "without a chosen card the first entry is picked");
	tap_ok(picks("verbs;ofi_rxm", "mlx5_2:1", 0),
	       "if the chosen card isn't listed, the first entry is picked");
	tap_ok(picks(NULL, "mlx5_1:1", 2),
	       "with any provider, the first entry's provider comes before the "
	       "card");
	tap_ok(!ofi_provider_pick(&made[0].info, "efa", "mlx5_1"),
	       "for a provider that isn't listed there is no entry");
}

static void
test_domains(void)
{
	static const struct entry efa[] = {
		{ "efa", "rdmap0s6-rdm", NULL },
		{ "efa", "rdmap0s60-rdm", NULL },
		{ "efa", "rdmap0s7-rdm", NULL },
	};
	static const struct entry psm3[] = {
		{ "psm3", "autoselect:irdma0;irdma1", NULL },
		{ "psm3", "irdma0", NULL },
		{ "psm3", "irdma1", NULL },
	};
	static const struct entry cxi[] = {
		{ "cxi", "cxi0", "cxi0" },
		{ "cxi", "cxi1", "cxi1" },
	};

	make_list(efa, 3);
	tap_ok(picks("efa", "rdmap0s7:1", 2) && picks("efa", "rdmap0s60:1", 1),
	       "EFA's domains are found by their cards' names");
	make_list(psm3, 3);
	tap_ok(picks("psm3", "irdma1:1", 2),
	       "psm3's domain is found behind its own choice");
	make_list(cxi, 2);
	tap_ok(picks("cxi", "cxi1", 1),
	       "Slingshot's domain is found, although its cards have no ports");
}

/* Is provider @name called @full by that version? */
static bool
is_called(const char *name, uint32_t version, const char *full)
{
	struct ofi_provider found = ofi_provider_find(name, version);

	return !strcmp(found.full, full) && !strcmp(found.name, name);
}

static void
test_versions(void)
{
	static const struct entry new[] = {
		{ "sockets", "lo", NULL },
		{ "tcp", "lo", NULL },
	};

	tap_ok(is_called("net", FI_VERSION(1, 17), "net"),
	       "libfabric 1.17 has a provider net");
	tap_ok(is_called("net", FI_VERSION(1, 18), "tcp") &&
		       is_called("net", FI_VERSION(2, 1), "tcp"),
	       "in 1.18 and 2.1, net is called tcp");
	tap_ok(is_called("tcp", FI_VERSION(1, 17), "tcp;ofi_rxm") &&
		       is_called("tcp", FI_VERSION(1, 18), "tcp;ofi_rxm") &&
		       is_called("tcp", FI_VERSION(2, 1), "tcp;ofi_rxm"),
	       "tcp is rxm over tcp in all versions");
	tap_ok(!strcmp(ofi_provider_full("tcp").name, "net") &&
		       !(ofi_provider_full("tcp").traits & OFI_RXM) &&
		       ofi_provider_full("tcp;ofi_rxm").traits & OFI_RXM,
	       "libfabric's tcp is net, and not rxm");
	make_list(new, 2);
	tap_ok(picks(NULL, "auto", 1), "it is chosen before sockets");
}

int
main(void)
{
	tap_begin();
	test_versions();
	test_cards();
	test_domains();
	return tap_end();
}
