#include "launch/run/lease.h"

#define REQUESTS 8 /* during the silence that ends a lease */

void
stn_lease_begin(struct stn_lease *lease, uint64_t silence_ns, uint64_t now)
{
	if (silence_ns)
		*lease = (struct stn_lease){ silence_ns, now,
					     now + silence_ns };
}

bool
stn_lease_asks(struct stn_lease *lease, uint64_t now)
{
	if (!lease->silence_ns || now < lease->asks_ns)
		return false;
	lease->asks_ns = now + lease->silence_ns / REQUESTS;
	return true;
}

/*
 * After a suspension the launcher answers old requests first. They would end
 * the lease at once, although the launcher can be reached.
 */
void
stn_lease_renew(struct stn_lease *lease, uint64_t asked, uint64_t now)
{
	if (asked == STN_LEASE_SUSPENDED)
		lease->ends_ns = UINT64_MAX;
	else if (lease->ends_ns != UINT64_MAX ||
		 now - asked < lease->silence_ns / 2)
		lease->ends_ns = asked + lease->silence_ns;
}

bool
stn_lease_ended(const struct stn_lease *lease, uint64_t now)
{
	return lease->silence_ns && now >= lease->ends_ns;
}

/* Milliseconds, rounded up; a day at most. */
static int
milliseconds(uint64_t now, uint64_t until)
{
	const uint64_t most = 24 * 3600 * 1000;
	uint64_t left = until > now ? (until - now) / 1000000 + 1 : 0;

	return (int)(left < most ? left : most);
}

int
stn_lease_left(const struct stn_lease *lease, uint64_t now)
{
	return lease->silence_ns ? milliseconds(now, lease->ends_ns) : -1;
}

int
stn_lease_wait(const struct stn_lease *lease, uint64_t now)
{
	uint64_t until = lease->asks_ns < lease->ends_ns ? lease->asks_ns
							 : lease->ends_ns;

	return lease->silence_ns ? milliseconds(now, until) : -1;
}
