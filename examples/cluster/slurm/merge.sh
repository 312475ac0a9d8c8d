#!/bin/sh
#SBATCH --job-name=anchorage-merge
#SBATCH --cpus-per-task=2
#SBATCH --time=04:00:00
# Merges the sketches of all tasks, which refuses if one is missing, and finds topics. What is there already, from a run that was requeued, stays.
set -eu
step() { # OUTPUT COMMAND...
	[ -e "$1/_SUCCESS" ] && return
	out=$1
	shift
	"$ANCHORAGE" "$@" -o "$out" --workers "${SLURM_CPUS_PER_TASK:-2}"
}
step "$WORK/all.sketch" merge "$WORK"/part-*.sketch
step "$WORK/factor" rectify "$WORK/all.sketch"
step "$WORK/model" anchor "$WORK/factor"
