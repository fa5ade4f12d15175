/*
 * utf8.h: checks for UTF-8 in text that may have another encoding, for example
 * the name of a program.
 */
#ifndef STN_NODE_STATS_UTF8_H
#define STN_NODE_STATS_UTF8_H

#include <stddef.h>

/*
 * stn_utf8: the number of bytes of the UTF-8 character that @text begins with,
 * if it is outside ASCII; 0 if it is no UTF-8. As in RFC 3629, there are no
 * longer forms than necessary, no surrogates, and nothing above U+10FFFF.
 */
size_t stn_utf8(const char *text);

#endif
