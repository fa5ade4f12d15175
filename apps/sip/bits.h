/*
 * bits.h: the number of bits of a set. Compilers call a function for it, unless
 * they may assume a processor with the instruction.
 */
#ifndef SIP_BITS_H
#define SIP_BITS_H

#include <stdint.h>

/* sip_count: the number of bits in @words words. */
static inline int
sip_count(const uint64_t *bits, int words)
{
	uint64_t sum = 0, x;

	for (int i = 0; i < words; i++) {
		x = bits[i] - (bits[i] >> 1 & 0x5555555555555555);
		x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
		x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
		sum += x * 0x0101010101010101 >> 56;
	}
	return (int)sum;
}

#endif
