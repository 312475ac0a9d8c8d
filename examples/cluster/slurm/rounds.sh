#!/bin/sh
#SBATCH --cpus-per-task=2
#SBATCH --time=04:00:00
# Submits several passes by tasks: for each round an array and a merge, of which each waits for the one before, and at the end a job that finds
# topics. The script is the jobs' too. What is there already, from a job that was requeued, stays.
#
#   TASKS=16 PASSES=4 SHARDS=/shared/shards WORK=/shared/work K=100 ./rounds.sh
set -eu
: "${TASKS:?how many tasks}" "${SHARDS:?the folder of the shards}" "${WORK:?a folder that all nodes see}" "${K:?how many topics}"
export TASKS SHARDS WORK K PASSES="${PASSES:-4}" ANCHORAGE="${ANCHORAGE:-anchorage}" ROUND="${ROUND:-1}"
workers=${SLURM_CPUS_PER_TASK:-2}
start=
[ "$ROUND" -eq 1 ] || start="--start $WORK/round-$((ROUND - 1))"

case ${1:-submit} in
task)
	# shellcheck disable=SC2086
	exec "$ANCHORAGE" sketch "$SHARDS" -k "$K" --passes "$PASSES" --vocab "$WORK/vocabulary.parquet" $start \
		--task "$SLURM_ARRAY_TASK_ID/$TASKS" --workers "$workers" -o "$WORK/sums-$ROUND-$SLURM_ARRAY_TASK_ID"
	;;
merge)
	[ ! -e "$WORK/round-$ROUND/_SUCCESS" ] || exit 0
	# shellcheck disable=SC2086
	"$ANCHORAGE" merge "$WORK/sums-$ROUND"-* $start --workers "$workers" -o "$WORK/round-$ROUND"
	rm -rf "$WORK/sums-$ROUND"-* # a requeued merge finds the round
	;;
topics)
	[ -e "$WORK/factor/_SUCCESS" ] || "$ANCHORAGE" rectify "$WORK/round-$((PASSES + 1))" --workers "$workers" -o "$WORK/factor"
	[ -e "$WORK/model/_SUCCESS" ] || "$ANCHORAGE" anchor "$WORK/factor" --workers "$workers" -o "$WORK/model"
	;;
submit)
	[ -e "$WORK/vocabulary.parquet" ] || "$ANCHORAGE" vocab "$SHARDS" -o "$WORK/vocabulary.parquet"
	after=
	submit() { # NAME ROLE OPTION...
		name=$1 role=$2
		shift 2
		after=$(sbatch --parsable --export=ALL --requeue --job-name="$name" --mem="${MEMORY:-8G}" ${after:+"--dependency=afterok:$after"} \
			--kill-on-invalid-dep=yes "$@" "$0" "$role")
	}
	while [ "$ROUND" -le $((PASSES + 1)) ]; do # the last measures the evidence
		submit "sketch-$ROUND" task --array="0-$((TASKS - 1))" --output="$WORK/task-$ROUND-%a.log"
		submit "merge-$ROUND" merge --output="$WORK/merge-$ROUND.log"
		ROUND=$((ROUND + 1))
	done
	submit topics topics --output="$WORK/topics.log"
	echo "the last job is $after; the model will be in $WORK/model"
	;;
esac
