#!/usr/bin/env bash
# Runs the tasks of an array on this machine, one after the other, as a scheduler would on many: one is killed and started again, one is started
# twice. Then it merges, and compares the topics with those of one pass over all shards.
#
#   examples/cluster/try.sh SHARDS [TASKS] [K]
set -euo pipefail
shards=$1 tasks=${2:-4} k=${3:-20}
anchorage=${ANCHORAGE:-anchorage}
work=$(mktemp -d)
trap 'rm -rf "${work:?}"' EXIT

"$anchorage" -q vocab "$shards" -o "$work/vocabulary.parquet" | tail -n 1
sketch=(-q sketch "$shards" -k "$k" --passes 1 --vocab "$work/vocabulary.parquet" --set sketch-columns=$((8 * k)))
task() { # NUMBER
	"$anchorage" "${sketch[@]}" --task "$1/$tasks" -o "$work/part-$1.sketch" | tail -n 1
}
"$anchorage" "${sketch[@]}" --task "0/$tasks" -o "$work/part-0.sketch" >/dev/null &
killed=$!
sleep 0.3
kill -KILL "$killed" 2>/dev/null && echo "task 0 was killed" || echo "task 0 was too fast to be killed"
wait "$killed" 2>/dev/null || true
for ((number = 0; number < tasks; number++)); do
	task "$number"
done
task 0 # once more
code=0
"$anchorage" -q merge "$work"/part-[1-9]*.sketch -o "$work/incomplete" || code=$?
[[ $code == 11 ]] || { echo "a merge without task 0 ended with $code, not 11"; exit 1; }
"$anchorage" -q merge "$work"/part-*.sketch -o "$work/all.sketch" | tail -n 1
"$anchorage" "${sketch[@]}" -o "$work/whole.sketch" | tail -n 1
for name in all whole; do
	"$anchorage" -q rectify "$work/$name.sketch" -o "$work/$name.factor" >/dev/null
	"$anchorage" -q anchor "$work/$name.factor" -o "$work/$name" >/dev/null
done
"$anchorage" -q compare "$work/whole" "$work/all" | head -n 1 | tee "$work/compared"
grep -q "^$k of $k topics kept" "$work/compared"
