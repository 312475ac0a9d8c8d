#!/bin/sh
#SBATCH --cpus-per-task=2
#SBATCH --time=04:00:00
# Submits several passes by tasks, of a sketch and then of a refinement of its topics: for each round an array and a merge, of which each waits for
# the one before. REFINE is how many passes follow the survey of the refinement, or "none". The script is the jobs' too. What is there already, from a
# job that was requeued, stays.
#
#   TASKS=16 PASSES=4 REFINE=10 SHARDS=/shared/shards WORK=/shared/work K=100 ./rounds.sh
set -eu
: "${TASKS:?how many tasks}" "${SHARDS:?the folder of the shards}" "${WORK:?a folder that all nodes see}" "${K:?how many topics}"
export TASKS SHARDS WORK K PASSES="${PASSES:-4}" ANCHORAGE="${ANCHORAGE:-anchorage}" NAME="${NAME:-}" START="${START:-}"
[ "$PASSES" -ge 2 ] || { echo "PASSES is $PASSES: make 2 passes or more; README.md has the recipes for one pass" >&2; exit 10; }
workers=${SLURM_CPUS_PER_TASK:-2}

case ${1:-submit} in
sketch | refine)
	[ "$1" = refine ] || set -- sketch -k "$K" --passes "$PASSES" --vocab "$WORK/vocabulary.parquet"
	exec "$ANCHORAGE" "$@" "$SHARDS" ${START:+--start "$START"} --task "$SLURM_ARRAY_TASK_ID/$TASKS" --workers "$workers" \
		-o "$WORK/sums-$NAME-$SLURM_ARRAY_TASK_ID"
	;;
merge)
	[ ! -e "$WORK/$NAME/_SUCCESS" ] || exit 0
	"$ANCHORAGE" merge "$WORK/sums-$NAME"-* ${START:+--start "$START"} --workers "$workers" -o "$WORK/$NAME"
	rm -rf "$WORK/sums-$NAME"-* # a requeued merge finds its result
	;;
topics)
	"$ANCHORAGE" rectify "$START" --workers "$workers" -o "$WORK/factor"
	"$ANCHORAGE" anchor "$WORK/factor" --workers "$workers" -o "$WORK/model"
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
	rounds() { # ROLE NAME FIRST LAST: each starts from the one before
		round=$3
		while [ "$round" -le "$4" ]; do
			NAME=$2-$round
			submit "$NAME" "$1" --array="0-$((TASKS - 1))" --output="$WORK/task-$NAME-%a.log"
			submit "merge-$NAME" merge --output="$WORK/merge-$NAME.log"
			START=$WORK/$NAME round=$((round + 1))
		done
	}
	rounds sketch round 1 $((PASSES + 1)) # the last measures the evidence
	submit topics topics --output="$WORK/topics.log"
	START=$WORK/model
	[ "${REFINE:=10}" = none ] || rounds refine refined 0 "$REFINE" # the first surveys the documents
	echo "the last job is $after; the model will be in $START"
	;;
esac
