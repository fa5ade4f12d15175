/*
 * chunks_view.h: what a view of the membership changes for chunks (chunks.h).
 * Net lock held.
 *
 * When nodes have joined or left, parts may be anywhere and have any versions.
 * While a node is leaving, no chunks are handed out, and each node sweeps the
 * parts that it has. Then each node stops its parts at the newest version that
 * it knows, and tells that version to the root (ASK, with itself as @next and
 * the view as @gift_ns). When the root has heard all nodes, it tells them the
 * newest of these versions (NONE, with STN_NOBODY as @next). Each node sweeps
 * its parts to that version, and from there on chunks are handed out again. The
 * root's first grants may go to former homes of parts, which pass them on.
 */
#ifndef STN_PARTS_MOVES_CHUNKS_VIEW_H
#define STN_PARTS_MOVES_CHUNKS_VIEW_H

#include "parts/moves/chunks.h"

/*
 * stn_chunks_note_nodes: notes which nodes get chunks in this view.
 * stn_chunks_stop: there is another view: stops the parts of this node, and
 * sends its newest version to the root. On the root itself nothing is sent; the
 * caller must note the version by stn_chunks_heard.
 * stn_chunks_newest: the newest version that this node knows.
 * stn_chunks_heard: on the root: node @from has told its version. Returns
 * whether all have, and sets @version_p to the newest one.
 */
void stn_chunks_note_nodes(struct stn_parts *array);
void stn_chunks_stop(struct stn_parts *array);
uint64_t stn_chunks_newest(struct stn_parts *array);
bool stn_chunks_heard(struct stn_parts *array, uint32_t from,
		      const struct stn_parts_ask *told, uint64_t *version_p);

#endif
