#!/bin/sh
# at.sh COMMAND...: runs a node on the host of the node's rank. The nodes
# exchange these host names, and therefore don't share memory.
host=$((STN_RANK + 1))
export STN_PRETEND_HOST=host$host
export STN_ADDRESS=10.9.0.$host UCX_NET_DEVICES=rxe$host:1
[ "$STN_TRANSPORT" != verbs ] || export STN_DEVICE=rxe$host
exec "$@"
