#!/usr/bin/env bash
# Makes several passes by tasks on this machine, each task a process, as a scheduler would on many: those of a sketch, and of the refinement of its
# topics. In each round one task is killed and repeated, one is started twice, the merge is repeated, and one without a task must be refused. The factor must have the
# bytes of one process, and the refined model those of a single task. WORK is a folder or a URL of an object store, such as s3://bucket/work, and
# QUERY what its URLs end with, such as '?endpoint=http://127.0.0.1:9000&use_path_style=true'.
#
#   examples/cluster/rounds.sh SHARDS [TASKS] [K] [PASSES] [WORK [QUERY]]
set -euo pipefail
shards=$1 tasks=${2:-4} k=${3:-20} passes=${4:-3} query=${6:-}
[ "$passes" -ge 2 ] || { echo "PASSES is $passes: make 2 passes or more; README.md has the recipes for one pass" >&2; exit 10; }
anchorage=${ANCHORAGE:-anchorage}
here=$(mktemp -d)
trap 'rm -rf "${here:?}"' EXIT
work=${5:-$here}
at() { echo "$work/$1$query"; }

start=() merge=() killed=0 rounds=0
round() { # NAME COMMAND...: makes a round and sets start to what the next one starts from
	local name=$1 pid number code=0
	shift
	"$@" "${start[@]}" --task "0/$tasks" -o "$(at "$name-0")" >/dev/null 2>&1 &
	pid=$!
	sleep 0.1
	! kill -KILL "$pid" 2>/dev/null || killed=$((killed + 1))
	wait "$pid" 2>/dev/null || true
	merge=("$anchorage" -q merge "${start[@]}")
	for ((number = tasks - 1; number >= 0; number--)); do
		"$@" "${start[@]}" --task "$number/$tasks" -o "$(at "$name-$number")" | tail -n 1
		((number == 0)) || merge+=("$(at "$name-$number")")
	done
	"$@" "${start[@]}" --task "0/$tasks" -o "$(at "$name-0")" | tail -n 1 # once more
	"${merge[@]}" -o "$(at "$name")" 2>/dev/null || code=$?
	[[ $code == 11 ]] || { echo "a merge without task 0 ended with $code, not 11"; exit 1; }
	merge+=("$(at "$name-0")")
	"${merge[@]}" -o "$(at "$name")" | tail -n 1
	"${merge[@]}" -o "$(at "$name")" | grep -q "was done before"
	start=(--start "$(at "$name")") rounds=$((rounds + 1))
}

"$anchorage" -q vocab "$shards" -o "$(at vocabulary.parquet)" | tail -n 1
sketch=("$anchorage" -q sketch "$shards" -k "$k" --passes "$passes" --vocab "$(at vocabulary.parquet)")
for ((pass = 1; pass <= passes + 1; pass++)); do # the last measures the evidence
	round "pass-$pass" "${sketch[@]}"
done
"${sketch[@]}" --set sketch-method=power -o "$here/one" | tail -n 1
"$anchorage" -q rectify "${start[1]}" -o "$here/factor" >/dev/null
"$anchorage" -q rectify "$here/one" -o "$here/one.factor" >/dev/null
diff -r -x run.json -x manifest.json "$here/one.factor" "$here/factor"
echo "the factor has the bytes of one process"

"$anchorage" -q anchor "$here/factor" -o "$(at model)" >/dev/null
"$anchorage" -q anchor "$here/factor" -o "$(at model)" | grep -q "was done before"
start=(--start "$(at model)") one=$(at model)
for pass in 0 1 2; do # the first surveys the documents
	round "refined-$pass" "$anchorage" -q refine "$shards"
	"$anchorage" -q refine "$shards" --start "$one" -o "$here/one.sums-$pass" >/dev/null
	"$anchorage" -q merge "$here/one.sums-$pass" --start "$one" -o "$here/one.refined-$pass" >/dev/null
	one=$here/one.refined-$pass
done
"${merge[@]}" -o "$here/refined" >/dev/null
diff -r -x run.json "$one" "$here/refined"
echo "the refined model has the bytes of a single task"
echo "$killed of $rounds rounds had a task killed"
((killed > 0)) || { echo "no task was slow enough to be killed"; exit 1; }
