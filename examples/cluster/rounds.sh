#!/usr/bin/env bash
# Makes several passes by tasks on this machine, each task a process, as a scheduler would on many. In each round one task is killed and repeated,
# one is started twice, and a merge without a task must be refused. The factor must have the bytes of one process. WORK is a folder or a URL of an
# object store, such as s3://bucket/work, and QUERY what its URLs end with, such as '?endpoint=http://127.0.0.1:9000&use_path_style=true'.
#
#   examples/cluster/rounds.sh SHARDS [TASKS] [K] [PASSES] [WORK [QUERY]]
set -euo pipefail
shards=$1 tasks=${2:-4} k=${3:-20} passes=${4:-3} query=${6:-}
anchorage=${ANCHORAGE:-anchorage}
here=$(mktemp -d)
trap 'rm -rf "${here:?}"' EXIT
work=${5:-$here}
at() { echo "$work/$1$query"; }

"$anchorage" -q vocab "$shards" -o "$(at vocabulary.parquet)" | tail -n 1
sketch=(-q sketch "$shards" -k "$k" --passes "$passes" --vocab "$(at vocabulary.parquet)")
start=() killed=0
for ((round = 1; round <= passes + 1; round++)); do # the last measures the evidence
	task() { # NUMBER
		"$anchorage" "${sketch[@]}" "${start[@]}" --task "$1/$tasks" -o "$(at "sums-$round-$1")" | tail -n 1
	}
	"$anchorage" "${sketch[@]}" "${start[@]}" --task "0/$tasks" -o "$(at "sums-$round-0")" >/dev/null 2>&1 &
	pid=$!
	sleep 0.1
	! kill -KILL "$pid" 2>/dev/null || killed=$((killed + 1))
	wait "$pid" 2>/dev/null || true
	sums=()
	for ((number = 0; number < tasks; number++)); do
		task "$number"
		sums+=("$(at "sums-$round-$number")")
	done
	task 0 # once more
	code=0
	"$anchorage" -q merge "${sums[@]:1}" "${start[@]}" -o "$(at "round-$round")" 2>/dev/null || code=$?
	[[ $code == 11 ]] || { echo "a merge without task 0 ended with $code, not 11"; exit 1; }
	"$anchorage" -q merge "${sums[@]}" "${start[@]}" -o "$(at "round-$round")" | tail -n 1
	start=(--start "$(at "round-$round")")
done
echo "$killed of $((passes + 1)) rounds had a task killed"
((killed > 0)) || { echo "no task was slow enough to be killed"; exit 1; }
"$anchorage" "${sketch[@]}" --set sketch-method=power -o "$here/one" | tail -n 1
"$anchorage" -q rectify "${start[1]}" -o "$here/factor" >/dev/null
"$anchorage" -q rectify "$here/one" -o "$here/one.factor" >/dev/null
diff -r -x run.json -x manifest.json "$here/one.factor" "$here/factor"
echo "the factor has the bytes of one process"
