/*
 * addresses.c: the choice of the addresses by which hosts reach each other.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "launch/survey/addresses.h"

#define HOSTS 3

static struct stn_addresses hosts[HOSTS];
static uint32_t numbers[HOSTS];
static const char *const names[HOSTS] = { "n0", "n1", "n2" };
static uint8_t which[HOSTS];
static struct stn_why why;

/* Begins with hosts without addresses, and one node on each. */
static void
begin(void)
{
	memset(hosts, 0, sizeof(hosts));
	for (uint32_t i = 0; i < HOSTS; i++)
		numbers[i] = i;
}

/*
 * Gives a host an address such as "10.0.0.1/24", on an interface of this speed.
 */
static struct stn_address *
has(size_t host, const char *interface, const char *text, uint32_t mbits)
{
	struct stn_address *address = &hosts[host].at[hosts[host].count++];
	char copy[64], *slash;

	snprintf(copy, sizeof(copy), "%s", text);
	slash = strchr(copy, '/');
	*slash = '\0';
	address->family = strchr(copy, ':') ? 6 : 4;
	address->prefix = (uint8_t)atoi(slash + 1);
	address->mbits = mbits;
	strcpy(address->interface, interface);
	if (inet_pton(address->family == 4 ? AF_INET : AF_INET6, copy,
		      address->bytes) != 1)
		abort();
	return address;
}

/*
 * Gives each host the address @network, with the host's number from 1 as its
 * last part.
 */
static void
all_have(const char *interface, const char *network, const char *bits,
	 uint32_t mbits)
{
	for (size_t i = 0; i < HOSTS; i++) {
		char text[64];

		snprintf(text, sizeof(text), "%s%zu/%s", network, i + 1, bits);
		has(i, interface, text, mbits);
	}
}

static enum stn_err
choose(void)
{
	const struct stn_addresses *all[HOSTS];

	for (size_t i = 0; i < HOSTS; i++)
		all[i] = &hosts[i];
	why.text[0] = '\0';
	return stn_addresses_choose(all, HOSTS, numbers, names, which, &why);
}

/* Do all hosts use this interface? */
static bool
chosen(const char *interface)
{
	if (choose()) {
		printf("# %s\n", why.text);
		return false;
	}
	for (size_t i = 0; i < HOSTS; i++)
		if (strcmp(hosts[i].at[which[i]].interface, interface)) {
			printf("# %s takes %s\n", names[i],
			       hosts[i].at[which[i]].interface);
			return false;
		}
	return true;
}

static void
test_networks(void)
{
	begin();
	all_have("eth0", "10.0.0.", "24", 1000);
	tap_ok(chosen("eth0"), "the network that all hosts have is chosen");
	all_have("ib0", "10.1.0.", "16", 100000);
	tap_ok(chosen("ib0"), "of several networks the fastest");
	hosts[1].count--;
	tap_ok(chosen("eth0"), "but not a network that a host lacks");
	begin();
	all_have("eth1", "fd00::", "64", 10000);
	all_have("eth0", "10.0.0.", "24", 10000);
	tap_ok(chosen("eth0"), "IPv4 before IPv6 at the same speed");
	begin();
	all_have("eth1", "fd00::", "64", 10000);
	tap_ok(chosen("eth1"), "IPv6 if there is nothing else");
	begin();
	all_have("eth0", "10.0.0.", "30", 0);
	has(0, "x", "10.9.0.1/24", 9);
	has(1, "x", "10.9.1.1/24", 9);
	has(2, "x", "10.9.2.1/24", 9);
	hosts[2].at[0].bytes[3] = 9; /* 10.0.0.9/30 */
	for (size_t i = 0; i < HOSTS; i++)
		hosts[i].at[1].routed = true;
	tap_ok(chosen("x"), "without a common network, the interfaces of the "
			    "default routes");
	for (size_t i = 0; i < HOSTS; i++)
		hosts[i].at[1].routed = i != 1;
	tap_ok(choose() == STN_MISSING && strstr(why.text, "--interface"),
	       "without default routes, an error: %s", why.text);
	hosts[1].count = 0;
	tap_ok(choose() == STN_MISSING && strstr(why.text, "host n1 has no"),
	       "a host without addresses: %s", why.text);
}

static void
test_equal(void)
{
	begin();
	for (size_t i = 0; i < HOSTS; i++)
		has(i, "docker0", "172.17.0.1/16", 100000);
	all_have("eth0", "10.0.0.", "24", 1000);
	tap_ok(chosen("eth0"),
	       "an address that is the same on all hosts is not chosen");
	for (size_t i = 0; i < HOSTS; i++) {
		hosts[i].count = 1;
		hosts[i].filtered = true;
	}
	tap_ok(choose() == STN_INVALID &&
		       strstr(why.text, "n0 and n1 have the same") &&
		       strstr(why.text, "172.17.0.1, on docker0"),
	       "it is refused if the user names it: %s", why.text);
	numbers[1] = numbers[2] = 0;
	tap_ok(chosen("docker0"),
	       "nodes of one host may have the same address");
}

static void
test_filter(void)
{
	static const struct stn_address_filter loopback = { NULL,
							    "127.0.0.0/8" },
					       nowhere = { "carrier0", NULL },
					       odd = { NULL, "10.0.0.0/33" };
	struct stn_addresses found;
	char text[STN_ADDRESS_TEXT_BYTES];

	if (stn_addresses_discover(&loopback, &found, &why)) {
		tap_skip("wishes", "a loopback interface");
	} else {
		stn_address_print(&found.at[0], text);
		tap_ok(found.filtered && !strcmp(text, "127.0.0.1"),
		       "this host's address in a network: %s", text);
		stn_address_print_network(&found.at[0], text);
		tap_ok(!strcmp(text, "127.0.0.0/8"), "and the network: %s",
		       text);
	}
	tap_ok(stn_addresses_discover(&nowhere, &found, &why) == STN_MISSING &&
		       strstr(why.text, "no interface carrier0; it has"),
	       "a missing interface: %s", why.text);
	tap_ok(stn_addresses_discover(&odd, &found, &why) == STN_INVALID &&
		       strstr(why.text, "10.0.0.0/33"),
	       "a malformed network: %s", why.text);
}

int
main(void)
{
	tap_begin();
	test_networks();
	test_equal();
	test_filter();
	return tap_end();
}
