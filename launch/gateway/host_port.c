#include "launch/gateway/host_port.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "transport/units.h"

#define IPV4_FROM 12 /* offset in the bytes of a mapped address */

bool
stn_host_port_is_ipv4(const struct stn_host_port *host_port)
{
	return IN6_IS_ADDR_V4MAPPED(&host_port->address);
}

static void
set_ipv4(struct stn_host_port *host_port, const struct in_addr *address)
{
	unsigned char *bytes = host_port->address.s6_addr;

	memset(bytes, 0, IPV4_FROM - 2);
	memset(bytes + IPV4_FROM - 2, 0xff, 2);
	memcpy(bytes + IPV4_FROM, address, sizeof(*address));
}

void
stn_host_port_write(char text[STN_HOST_PORT_BYTES],
		    const struct stn_host_port *host_port)
{
	char number[INET6_ADDRSTRLEN];
	bool ipv4 = stn_host_port_is_ipv4(host_port);

	if (ipv4)
		inet_ntop(AF_INET, host_port->address.s6_addr + IPV4_FROM,
			  number, sizeof(number));
	else
		inet_ntop(AF_INET6, &host_port->address, number,
			  sizeof(number));
	snprintf(text, STN_HOST_PORT_BYTES, ipv4 ? "%s:%u" : "[%s]:%u", number,
		 host_port->port);
}

/* Reads an address of @length characters. */
static bool
read_number(const char *text, size_t length, int family, void *address)
{
	char number[INET6_ADDRSTRLEN] = "";

	if (length >= sizeof(number))
		return false;
	memcpy(number, text, length);
	return inet_pton(family, number, address) == 1;
}

static bool
read_address(const char *text, size_t length, struct stn_host_port *host_port)
{
	struct in_addr ipv4;

	if (length > 2 && text[0] == '[' && text[length - 1] == ']')
		return read_number(text + 1, length - 2, AF_INET6,
				   &host_port->address);
	if (!read_number(text, length, AF_INET, &ipv4))
		return false;
	set_ipv4(host_port, &ipv4);
	return true;
}

bool
stn_host_port_read(const char *text, struct stn_host_port *host_port)
{
	const char *colon = strrchr(text, ':');
	uint64_t port;

	if (!colon || stn_parse_count(colon + 1, 1, UINT16_MAX, &port) ||
	    !read_address(text, (size_t)(colon - text), host_port))
		return false;
	host_port->port = (uint16_t)port;
	return true;
}

bool
stn_host_port_read_address(const char *text, struct stn_host_port *host_port)
{
	host_port->port = 0;
	return read_address(text, strlen(text), host_port) ||
	       read_number(text, strlen(text), AF_INET6, &host_port->address);
}

bool
stn_host_port_is_link_local(const struct stn_host_port *host_port)
{
	const unsigned char *bytes = host_port->address.s6_addr;

	if (stn_host_port_is_ipv4(host_port))
		return bytes[IPV4_FROM] == 169 && bytes[IPV4_FROM + 1] == 254;
	return IN6_IS_ADDR_LINKLOCAL(&host_port->address);
}

bool
stn_host_port_is_near(const struct stn_host_port *host_port,
		      const struct stn_host_port *other)
{
	return !memcmp(&host_port->address, &other->address,
		       stn_host_port_is_ipv4(host_port)
			       ? sizeof(host_port->address)
			       : 8);
}

socklen_t
stn_host_port_to_socket(const struct stn_host_port *host_port,
			struct sockaddr_storage *address)
{
	struct sockaddr_in *four = (struct sockaddr_in *)address;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)address;

	memset(address, 0, sizeof(*address));
	if (stn_host_port_is_ipv4(host_port)) {
		four->sin_family = AF_INET;
		four->sin_port = htons(host_port->port);
		memcpy(&four->sin_addr, host_port->address.s6_addr + IPV4_FROM,
		       sizeof(four->sin_addr));
		return sizeof(*four);
	}
	six->sin6_family = AF_INET6;
	six->sin6_port = htons(host_port->port);
	six->sin6_addr = host_port->address;
	return sizeof(*six);
}

bool
stn_host_port_from_socket(const struct sockaddr *address,
			  struct stn_host_port *host_port)
{
	const struct sockaddr_in *four = (const struct sockaddr_in *)address;
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;

	if (address->sa_family == AF_INET) {
		set_ipv4(host_port, &four->sin_addr);
		host_port->port = ntohs(four->sin_port);
		return true;
	}
	if (address->sa_family != AF_INET6)
		return false;
	host_port->address = six->sin6_addr;
	host_port->port = ntohs(six->sin6_port);
	return true;
}
