/*
 * grants.h: what a node knows of the chunks that the root grants (chunks.h).
 * Net lock held.
 *
 * A grant names the home of some parts and their heir, which is to sweep them
 * to the next version. Both remember it for each part, because it may come
 * before the part does, or before the part has the version. The root sends the
 * next grant to the heir, as its new home. The heir may be told to send the
 * part back to its former home, and that home to send it to another heir, all
 * before the former home has sent the part away. So a home remembers two
 * grants of a part. There are never three, because the root grants a node
 * nothing more before the node has swept its last chunk.
 */
#ifndef STN_PARTS_MOVES_GRANTS_H
#define STN_PARTS_MOVES_GRANTS_H

#include "parts/moves/chunks.h"

/*
 * The members of struct stn_parts_ask in a grant: @lowest: the version to which
 * the parts are to be swept; @left: their home; @parts and @gifts: the first of
 * them, and how many there are; @next: their heir; @gift_ns: the view;
 * @ns_per_part: 1 if the parts may be elsewhere; @passed: 1 if the home has
 * passed it on.
 */

/*
 * stn_grants_take: notes a grant, which is valid, if this node is the home or
 * the heir. If the parts may be elsewhere, the home passes it on to where they
 * have gone.
 * stn_grants_apply: lets the part be swept, or sends it to its heir, if there
 * is a grant for the version that it has now.
 * stn_grants_forget: forgets all grants.
 */
void stn_grants_take(struct stn_parts *array,
		     const struct stn_parts_ask *grant);
void stn_grants_apply(struct stn_part *part);
void stn_grants_forget(struct stn_parts *array);

#endif
