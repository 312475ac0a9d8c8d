#!/usr/bin/env bash
# Tries slurm/submit.sh on a Slurm of its own: this machine, with munge, a controller and two nodes, as root (Debian: slurm-wlm, munge). A task
# is killed and requeued, also in rounds of several passes. The results must be those of one process. If ANCHORAGE_MPI names a program that was built with -tags mpi, a fit of
# two ranks is tried too: a rank is killed, the job is requeued and goes on, and the model must have the bytes of one process. Everything ends with
# the script.
#
#   sudo examples/cluster/try-slurm.sh SHARDS [TASKS] [K]
set -euo pipefail
shards=$(realpath "$1") tasks=${2:-4} k=${3:-20}
ANCHORAGE=$(command -v "${ANCHORAGE:-anchorage}")
export ANCHORAGE
here=$(cd "$(dirname "$0")" && pwd) work=$(mktemp -d)
pids=()
# shellcheck disable=SC2317
finish() {
	((${#pids[@]} == 0)) || kill "${pids[@]}" 2>/dev/null || true
	wait || true
	rm -rf "${work:?}"
}
trap finish EXIT

# A key, a socket and two nodes of its own, so that a Slurm of the machine is not touched.
mkdir -m 755 "$work/munge" "$work/state" "$work/n0" "$work/n1" "$work/results"
chmod 755 "$work"
head -c 1024 /dev/urandom >"$work/munge/key"
chmod 400 "$work/munge/key"
munged --foreground --force --key-file="$work/munge/key" --socket="$work/munge/socket" --pid-file="$work/munge/pid" \
	--log-file="$work/munge/log" --seed-file="$work/munge/seed" 2>"$work/munge/err" &
pids+=($!)
host=$(hostname -s)
port=$((20000 + RANDOM % 20000))
cat >"$work/slurm.conf" <<CONF
ClusterName=try
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
SlurmUser=root
StateSaveLocation=$work/state
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/%n/slurmd.pid
SlurmdSpoolDir=$work/%n
SlurmdLogFile=$work/%n/log
SlurmctldLogFile=$work/slurmctld.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=1,sched_interval=5
MpiDefault=none
ReturnToService=2
NodeName=n0 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=2 RealMemory=4096
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=2 RealMemory=4096
PartitionName=all Nodes=n0,n1 Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$work/slurm.conf
sleep 1
slurmctld -D -f "$SLURM_CONF" >"$work/ctld.out" 2>&1 &
pids+=($!)
for node in n0 n1; do
	slurmd -D -N "$node" -f "$SLURM_CONF" >"$work/$node/out" 2>&1 &
	pids+=($!)
done
for ((i = 0; i < 60; i++)); do
	[[ $(sinfo -h -o %T 2>/dev/null) != *idle* ]] || break
	sleep 1
done
sinfo

export TASKS=$tasks SHARDS=$shards WORK=$work/results K=$k MEMORY=1G
"$here/slurm/submit.sh" >"$work/submitted" 2>"$work/submit.log" || { cat "$work/submit.log"; exit 1; }
tail -n 1 "$work/submitted"
array=$(sed -n 's/^tasks: \([0-9]*\),.*/\1/p' "$work/submitted")
sleep 2
if scontrol requeue "${array}_0" 2>/dev/null; then
	echo "task 0 was requeued"
	sleep 1
	scontrol update "jobid=${array}_0" StartTime=now || true # otherwise Slurm waits for two minutes
else
	echo "task 0 was too fast to be requeued"
fi
for ((i = 0; i < 300; i++)); do
	[[ -n $(squeue -h 2>/dev/null) ]] || break
	sleep 1
done
[[ -e $work/results/model/_SUCCESS ]] || { squeue; tail -n 20 "$work"/results/*.log "$work/slurmctld.log"; echo "the jobs made no model"; exit 1; }

"$ANCHORAGE" -q sketch "$shards" -k "$k" --passes 1 --vocab "$work/results/vocabulary.parquet" --set sketch-columns=$((8 * k)) -o "$work/whole.sketch" >/dev/null
"$ANCHORAGE" -q rectify "$work/whole.sketch" -o "$work/factor" >/dev/null
"$ANCHORAGE" -q anchor "$work/factor" -o "$work/whole" >/dev/null
"$ANCHORAGE" -q compare "$work/whole" "$work/results/model" >"$work/compared"
head -n 1 "$work/compared"
grep -q "^$k of $k topics kept" "$work/compared"

# Several passes: a task of the first round is requeued, and the factor must have the bytes of one process.
mkdir -m 777 "$work/rounds"
WORK=$work/rounds PASSES=2 REFINE=1 "$here/slurm/rounds.sh" >"$work/submitted" 2>"$work/submit.log" || { cat "$work/submit.log"; exit 1; }
tail -n 1 "$work/submitted"
sleep 1
array=$(squeue -h -n round-1 -o %F | head -n 1)
if [[ -n $array ]] && scontrol requeue "${array}_0" 2>/dev/null; then
	echo "task 0 of the first round was requeued"
	sleep 1
	scontrol update "jobid=${array}_0" StartTime=now || true
fi
for ((i = 0; i < 300; i++)); do
	[[ -n $(squeue -h 2>/dev/null) ]] || break
	sleep 1
done
[[ -e $work/rounds/refined-1/_SUCCESS ]] || { squeue; tail -n 20 "$work"/rounds/*.log "$work/slurmctld.log"; echo "the rounds made no refined model"; exit 1; }
"$ANCHORAGE" -q sketch "$shards" -k "$k" --passes 2 --vocab "$work/rounds/vocabulary.parquet" --set sketch-method=power -o "$work/power.sketch" >/dev/null
"$ANCHORAGE" -q rectify "$work/power.sketch" -o "$work/power.factor" >/dev/null
diff -r -x run.json -x manifest.json "$work/power.factor" "$work/rounds/factor"
model=$work/rounds/model
for round in 0 1; do
	"$ANCHORAGE" -q refine "$shards" --start "$model" -o "$work/one.sums-$round" >/dev/null
	"$ANCHORAGE" -q merge "$work/one.sums-$round" --start "$model" -o "$work/one.refined-$round" >/dev/null
	model=$work/one.refined-$round
done
diff -r -x run.json "$model" "$work/rounds/refined-1"
echo "the rounds made the factor of one process, and the refined model of a single task"

[[ -n ${ANCHORAGE_MPI:-} ]] || { echo "ANCHORAGE_MPI names no program: no fit of two ranks"; exit 0; }
srun --mpi=list 2>&1 | grep -qw "${MPI:-pmix}" || { echo "SKIPPED: this srun has no ${MPI:-pmix}: no fit of two ranks"; exit 0; }
ranks=$work/ranks
mkdir -m 777 "$ranks"
export SHARDS=$shards MODEL=$ranks/model K=$k FLAGS="--refine none --no-report --passes 8 --checkpoint-interval 0 --log-level debug" RETRIES=1
export OMPI_MCA_btl=tcp,self OMPI_MCA_btl_tcp_if_include=lo # two nodes that are one machine
nodes=2
[[ ${MPI:-pmix} != pmix ]] || nodes=1 # the daemons of PMIx for two nodes cannot be on one machine
job=$(ANCHORAGE=$ANCHORAGE_MPI sbatch --parsable --export=ALL --nodes=$nodes --ntasks-per-node=$((2 / nodes)) --cpus-per-task=1 --mem=1G --signal=TERM@5 --output="$ranks/log" "$here/slurm/mpi.sbatch")
echo "a fit of two ranks: job $job"
killed=no
for ((i = 0; i < 6000; i++)); do
	if [[ $killed == no ]] && grep -qs 'msg="pass over the documents" pass=3' "$ranks/log"; then
		pkill -KILL -n -f "^$ANCHORAGE_MPI fit" && killed=yes && echo "a rank was killed"
	fi
	if [[ $killed == yes ]] && [[ $(squeue -h -j "$job" -o %T 2>/dev/null) == PENDING ]]; then
		sleep 5 # the end of the first attempt must not be taken for that of the second
		scontrol update "jobid=$job" StartTime=now 2>/dev/null || true # otherwise Slurm waits for two minutes
	fi
	[[ ! -e $MODEL/_SUCCESS ]] && [[ -n $(squeue -h -j "$job" 2>/dev/null) ]] || break
	sleep 0.05
done
[[ -e $MODEL/_SUCCESS && $killed == yes ]] || { squeue; tail -n 40 "$ranks/log"; tail -n 20 "$work/slurmctld.log"; echo "the ranks made no model, or none was killed"; exit 1; }
# shellcheck disable=SC2086
"$ANCHORAGE" -q fit "$shards" -k "$k" --refine none --no-report --passes 8 -o "$work/one" >/dev/null
# Only one process folds items in.
diff -r -x run.json -x manifest.json -x folded.parquet "$work/one" "$MODEL"
echo "two ranks, one of which was killed, made the model of one process"
