#!/usr/bin/env bash
# Measures ranks on a slow network, on one machine: each rank in a network namespace of its own, joined by a bridge, with a bandwidth set by tc (tbf), and a
# delay where the kernel has netem. It needs root, iproute2 and Open MPI. The operations of internal/collective come first, then a fit, if ANCHORAGE_MPI
# names a program that was built with -tags mpi; run.json of its model says what each stage has sent. Two processors show no speed-up
# of work: look at what communication takes.
#
#   sudo -E examples/cluster/try-network.sh 1gbit 3 [SHARDS [OUTPUT]]
set -euo pipefail
rate=${1:-1gbit} ranks=${2:-3} shards=${3:-} output=${4:-}
[[ -z $shards ]] || shards=$(realpath "$shards")
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
bridge=anchor-br
finish() {
	for ((r = 0; r < ranks; r++)); do
		ip netns del "anchor$r" 2>/dev/null || true
	done
	ip link del "$bridge" 2>/dev/null || true
	rm -rf "${work:?}"
}
trap finish EXIT

ip link add "$bridge" type bridge
ip addr add 10.77.0.254/24 dev "$bridge"
ip link set "$bridge" up
delayed=no
for ((r = 0; r < ranks; r++)); do
	ip netns add "anchor$r"
	ip link add "anchor-v$r" type veth peer name eth0 netns "anchor$r"
	ip link set "anchor-v$r" master "$bridge" up
	ip -n "anchor$r" addr add "10.77.0.$((r + 1))/24" dev eth0
	ip -n "anchor$r" link set eth0 up
	ip -n "anchor$r" link set lo up
	# What a rank sends passes eth0, and what it receives anchor-v: both are as wide as the network.
	tc -n "anchor$r" qdisc add dev eth0 root handle 1: tbf rate "$rate" burst 256kb latency 10ms
	tc qdisc add dev "anchor-v$r" root tbf rate "$rate" burst 256kb latency 10ms
	! tc -n "anchor$r" qdisc add dev eth0 parent 1: netem delay 0.1ms limit 100000 2>/dev/null || delayed=yes
done
[[ $delayed == yes ]] || echo "no netem in this kernel: the delay is that of the machine itself"

# Open MPI starts its daemons by this in place of ssh: NAME COMMAND...
cat >"$work/agent" <<'AGENT'
#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
name=$1
shift
exec ip netns exec "$name" unshare --uts sh -c "hostname $name; $*"
AGENT
chmod +x "$work/agent"
hosts=$(seq -s, -f 'anchor%g' 0 $((ranks - 1)))
run() {
	timeout 900 mpirun.openmpi --allow-run-as-root --mca plm_rsh_agent "$work/agent" --mca plm_rsh_no_tree_spawn 1 --host "$hosts" -n "$ranks" --map-by node --bind-to none -q \
		--mca oob_tcp_if_include 10.77.0.0/24 --mca btl tcp,self --mca btl_tcp_if_include 10.77.0.0/24 -x ANCHORAGE_NETWORK "$@"
}
bits=${rate%bit}
ANCHORAGE_NETWORK=$(numfmt --from=si "${bits^^}")
export ANCHORAGE_NETWORK
CC=mpicc.openmpi go test -tags mpi -c -o "$work/collective.test" ./internal/collective
run "$work/collective.test" -test.run '^TestNetwork$' | grep -v '^PASS$'
if [[ -n $shards && -n ${ANCHORAGE_MPI:-} ]]; then
	begun=$SECONDS
	run "$ANCHORAGE_MPI" fit "$shards" -k 20 --no-report --workers 1 -o "${output:-$work/model}" --log-level warn | tail -n 2
	echo "a fit: $((SECONDS - begun)) s"
	[[ -n $output ]] || cat "$work/model/run.json"
fi
