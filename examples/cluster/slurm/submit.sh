#!/bin/sh
# Submits an array of tasks that each sketch a part of the shards, and a job that merges their sketches, finds topics, and runs only
# when all tasks have ended with code 0. A task that is requeued and finds its sketch complete ends with 0 at once.
#
#   TASKS=16 SHARDS=/shared/shards WORK=/shared/work K=100 ./submit.sh
set -eu
: "${TASKS:?how many tasks}" "${SHARDS:?the folder of the shards}" "${WORK:?a folder that all nodes see}" "${K:?how many topics}"
MEMORY=${MEMORY:-8G} # see anchorage plan
COLUMNS_OF_SKETCH=${COLUMNS_OF_SKETCH:-$((8 * K))}
ANCHORAGE=${ANCHORAGE:-anchorage}
here=$(cd "$(dirname "$0")" && pwd)
export SHARDS WORK K TASKS ANCHORAGE COLUMNS_OF_SKETCH

[ -e "$WORK/vocabulary.parquet" ] || "$ANCHORAGE" vocab "$SHARDS" -o "$WORK/vocabulary.parquet"
array=$(sbatch --parsable --export=ALL --requeue --array="0-$((TASKS - 1))" --mem="$MEMORY" --output="$WORK/task-%a.log" "$here/task.sh")
merge=$(sbatch --parsable --export=ALL --dependency="afterok:$array" --kill-on-invalid-dep=yes --mem="$MEMORY" --output="$WORK/merge.log" "$here/merge.sh")
echo "tasks: $array, merge: $merge; the model will be in $WORK/model"
