#!/bin/sh
#SBATCH --job-name=anchorage-sketch
#SBATCH --cpus-per-task=2
#SBATCH --time=04:00:00
# One task of the array: sketches its part of the shards in one pass.
set -eu
exec "$ANCHORAGE" sketch "$SHARDS" -k "$K" --passes 1 --vocab "$WORK/vocabulary.parquet" --set sketch-columns="$COLUMNS_OF_SKETCH" \
	--task "$SLURM_ARRAY_TASK_ID/$TASKS" --workers "${SLURM_CPUS_PER_TASK:-2}" -o "$WORK/part-$SLURM_ARRAY_TASK_ID.sketch"
