#!/bin/sh
# at.sh COMMAND...: as a node of a run, on the host of this node's rank. That it
# is one, nodes tell each other; so they don't share memory.
host=$((STN_RANK + 1))
export STN_PRETEND_HOST=host$host
export STN_ADDRESS=10.9.0.$host UCX_NET_DEVICES=rxe$host:1
[ "$STN_TRANSPORT" != verbs ] || export STN_DEVICE=rxe$host
exec "$@"
