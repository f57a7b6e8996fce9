#!/usr/bin/env bash
# Runs two ranks of a program in two network namespaces that a virtual cable joins.
# usage: namespaces.sh NNSCOPE PROGRAM FOLDER cut|slow
# cut: the cable is cut once both have printed "ready". slow: packets are late, and some are lost.
# What each printed is in FOLDER/rank0 and FOLDER/rank1. Prints "skipped: why" where the machine allows none of this.
set -u
if [ "${NNSCOPE_IN_NAMESPACE:-}" != 1 ]; then
  for tool in unshare ip nsenter; do
    PATH=$PATH:/usr/sbin:/sbin command -v $tool >/dev/null || { echo "skipped: there is no $tool"; exit 0; }
  done
  unshare -rn true 2>/dev/null || { echo "skipped: a namespace may not be made here"; exit 0; }
  PATH=$PATH:/usr/sbin:/sbin NNSCOPE_IN_NAMESPACE=1 exec unshare -rn bash "$0" "$@"
fi
nnscope=$1 program=$2 folder=$3 how=$4

unshare -n sleep 120 &
other=$!
trap 'kill $other 2>/dev/null' EXIT
for _ in $(seq 100); do
  [ "$(readlink /proc/$other/ns/net)" != "$(readlink /proc/self/ns/net)" ] && break
  sleep 0.05
done
there() { nsenter -n -t $other "$@"; }
{
  ip link set lo up && ip link add cable0 type veth peer name cable1 && ip link set cable1 netns $other &&
    ip addr add 10.9.0.1/24 dev cable0 && ip link set cable0 up &&
    there ip link set lo up && there ip addr add 10.9.0.2/24 dev cable1 && there ip link set cable1 up
} 2>/dev/null || { echo "skipped: no virtual cable may be laid here"; exit 0; }
if [ "$how" = slow ]; then
  for end in "" there; do
    device=cable0
    [ "$end" = there ] && device=cable1
    $end tc qdisc add dev $device root netem delay 5ms loss 1% 2>/dev/null ||
      { echo "skipped: this kernel delays and loses no packets"; exit 0; }
  done
fi

run() { env NNSCOPE_SHARED_MEMORY=0 WORLD_SIZE=2 MASTER_ADDR=10.9.0.1 MASTER_PORT=29600 "$@"; }
run RANK=0 "$nnscope" run "$program" >"$folder/rank0" 2>&1 &
first=$!
run RANK=1 nsenter -n -t $other "$nnscope" run "$program" >"$folder/rank1" 2>&1 &
second=$!
if [ "$how" = cut ]; then
  for _ in $(seq 1200); do
    grep -q ready "$folder/rank0" && grep -q ready "$folder/rank1" && break
    sleep 0.05
  done
  ip link set cable0 down
fi
wait $first $second
echo done
