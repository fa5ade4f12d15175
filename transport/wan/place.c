#include "transport/wan/place.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "transport/units.h"

#define IPV4_FROM 12 /* of the bytes of a mapped address */

bool
stn_place_is_ipv4(const struct stn_place *place)
{
	return IN6_IS_ADDR_V4MAPPED(&place->address);
}

static void
set_ipv4(struct stn_place *place, const struct in_addr *address)
{
	unsigned char *bytes = place->address.s6_addr;

	memset(bytes, 0, IPV4_FROM - 2);
	memset(bytes + IPV4_FROM - 2, 0xff, 2);
	memcpy(bytes + IPV4_FROM, address, sizeof(*address));
}

void
stn_place_write(char text[STN_PLACE_BYTES], const struct stn_place *place)
{
	char number[INET6_ADDRSTRLEN];
	bool ipv4 = stn_place_is_ipv4(place);

	if (ipv4)
		inet_ntop(AF_INET, place->address.s6_addr + IPV4_FROM, number,
			  sizeof(number));
	else
		inet_ntop(AF_INET6, &place->address, number, sizeof(number));
	snprintf(text, STN_PLACE_BYTES, ipv4 ? "%s:%u" : "[%s]:%u", number,
		 place->port);
}

/* An address of @length bytes. */
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
read_address(const char *text, size_t length, struct stn_place *place)
{
	struct in_addr ipv4;

	if (length > 2 && text[0] == '[' && text[length - 1] == ']')
		return read_number(text + 1, length - 2, AF_INET6,
				   &place->address);
	if (!read_number(text, length, AF_INET, &ipv4))
		return false;
	set_ipv4(place, &ipv4);
	return true;
}

bool
stn_place_read(const char *text, struct stn_place *place)
{
	const char *colon = strrchr(text, ':');
	uint64_t port;

	if (!colon || stn_parse_count(colon + 1, 1, UINT16_MAX, &port) ||
	    !read_address(text, (size_t)(colon - text), place))
		return false;
	place->port = (uint16_t)port;
	return true;
}

bool
stn_place_read_address(const char *text, struct stn_place *place)
{
	place->port = 0;
	return read_address(text, strlen(text), place) ||
	       read_number(text, strlen(text), AF_INET6, &place->address);
}

bool
stn_place_is_link_local(const struct stn_place *place)
{
	const unsigned char *bytes = place->address.s6_addr;

	if (stn_place_is_ipv4(place))
		return bytes[IPV4_FROM] == 169 && bytes[IPV4_FROM + 1] == 254;
	return IN6_IS_ADDR_LINKLOCAL(&place->address);
}

bool
stn_place_is_near(const struct stn_place *place, const struct stn_place *other)
{
	return !memcmp(&place->address, &other->address,
		       stn_place_is_ipv4(place) ? sizeof(place->address) : 8);
}

socklen_t
stn_place_to_socket(const struct stn_place *place,
		    struct sockaddr_storage *address)
{
	struct sockaddr_in *four = (struct sockaddr_in *)address;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)address;

	memset(address, 0, sizeof(*address));
	if (stn_place_is_ipv4(place)) {
		four->sin_family = AF_INET;
		four->sin_port = htons(place->port);
		memcpy(&four->sin_addr, place->address.s6_addr + IPV4_FROM,
		       sizeof(four->sin_addr));
		return sizeof(*four);
	}
	six->sin6_family = AF_INET6;
	six->sin6_port = htons(place->port);
	six->sin6_addr = place->address;
	return sizeof(*six);
}

bool
stn_place_from_socket(const struct sockaddr *address, struct stn_place *place)
{
	const struct sockaddr_in *four = (const struct sockaddr_in *)address;
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;

	if (address->sa_family == AF_INET) {
		set_ipv4(place, &four->sin_addr);
		place->port = ntohs(four->sin_port);
		return true;
	}
	if (address->sa_family != AF_INET6)
		return false;
	place->address = six->sin6_addr;
	place->port = ntohs(six->sin6_port);
	return true;
}
