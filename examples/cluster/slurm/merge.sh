#!/bin/sh
#SBATCH --job-name=anchorage-merge
#SBATCH --cpus-per-task=2
#SBATCH --time=04:00:00
# Merges the sketches of all tasks, which refuses if one is missing, and finds topics. What is there already, from a run that was requeued, stays.
set -eu
workers=${SLURM_CPUS_PER_TASK:-2}
"$ANCHORAGE" merge "$WORK"/part-*.sketch --workers "$workers" -o "$WORK/all.sketch"
"$ANCHORAGE" rectify "$WORK/all.sketch" --workers "$workers" -o "$WORK/factor"
"$ANCHORAGE" anchor "$WORK/factor" --workers "$workers" -o "$WORK/model"
