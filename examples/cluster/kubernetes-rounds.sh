#!/bin/sh
# Makes several passes by tasks as Jobs of Kubernetes, of a sketch and then of a refinement of its topics: for each round an Indexed Job, and a Job
# that merges. REFINE is how many passes follow the survey of the refinement, or "none". The volumes are those of kubernetes.yaml, whose
# vocabulary.parquet is there; s3:// URLs in place of /data and /shards need none. The program is all that its image needs.
#
#   TASKS=16 PASSES=4 REFINE=10 K=100 ./kubernetes-rounds.sh        applies and waits, step by step
#   TASKS=16 PASSES=4 REFINE=10 K=100 ./kubernetes-rounds.sh STEP   prints the Jobs of a step: round-1, factor, model, refined-0, ...
set -eu
TASKS=${TASKS:-16} PASSES=${PASSES:-4} REFINE=${REFINE:-10} K=${K:-100} only=${1:-} start= steps=
[ "$PASSES" -ge 2 ] || { echo "PASSES is $PASSES: make 2 passes or more; README.md has the recipes for one pass" >&2; exit 10; }

job() { # NAME ACTION FIELDS, with the arguments of the program as lines
	cat <<YAML
apiVersion: batch/v1
kind: Job
metadata: {name: $1}
spec:
$(printf "  %s\n" "$@" | tail -n +3)
  podFailurePolicy:
    rules:
      - action: $2
        onExitCodes: {containerName: anchorage, operator: In, values: [10, 11, 12]}
      - action: Ignore
        onPodConditions: [{type: DisruptionTarget}]
  template:
    spec:
      restartPolicy: Never
      automountServiceAccountToken: false
      securityContext: {runAsNonRoot: true, runAsUser: 65532, runAsGroup: 65532, fsGroup: 65532, seccompProfile: {type: RuntimeDefault}}
      containers:
        - name: anchorage
          image: registry.example.com/anchorage:0.1.0
          args:
$(sed 's/.*/            - "&"/')
          env:
            - name: INDEX
              valueFrom: {fieldRef: {fieldPath: "metadata.annotations['batch.kubernetes.io/job-completion-index']"}}
          resources: {requests: {cpu: "2", memory: 7Gi}, limits: {memory: 7Gi}}
          securityContext: {allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}}
          volumeMounts:
            - {name: data, mountPath: /data}
            - {name: shards, mountPath: /shards, readOnly: true}
      volumes:
        - {name: data, persistentVolumeClaim: {claimName: anchorage-data}}
        - {name: shards, persistentVolumeClaim: {claimName: shop-shards, readOnly: true}}
YAML
}

submit() { # JOB ACTION FIELDS, as of job; waits for its end
	if [ -n "$only" ]; then
		echo ---
		job "$@"
	else
		job "$@" | kubectl apply -f -
		kubectl wait --for=condition=complete --timeout=24h "job/$1"
	fi
}

round() { # NAME COMMAND...
	name=$1
	shift
	printf '%s\n' "$@" --task "\$(INDEX)/$TASKS" -o "/data/sums-$name-\$(INDEX)" ${start:+--start "$start"} |
		submit "anchorage-$name" FailIndex "completionMode: Indexed" "completions: $TASKS" "parallelism: 8" \
			"backoffLimitPerIndex: 3" "maxFailedIndexes: 0"
	{
		printf '%s\n' merge
		number=0
		while [ "$number" -lt "$TASKS" ]; do
			echo "/data/sums-$name-$number"
			number=$((number + 1))
		done
		printf '%s\n' -o "/data/$name" ${start:+--start "$start"}
	} | submit "anchorage-merge-$name" FailJob "backoffLimit: 3"
}

step() { # NAME: starts from the step before
	if [ "${only:-$1}" = "$1" ]; then
		case $1 in
		round-*) round "$1" sketch /shards -k "$K" --passes "$PASSES" --vocab /data/vocabulary.parquet --memory-limit 6GiB ;;
		factor) printf '%s\n' rectify "$start" -o /data/factor | submit anchorage-factor FailJob "backoffLimit: 3" ;;
		model) printf '%s\n' anchor "$start" -o /data/model | submit anchorage-model FailJob "backoffLimit: 3" ;;
		refined-*) round "$1" refine /shards --memory-limit 6GiB ;;
		esac
	fi
	start=/data/$1 steps="$steps $1"
}

for round in $(seq $((PASSES + 1))); do # the last measures the evidence
	step "round-$round"
done
step factor
step model
[ "$REFINE" = none ] || for round in $(seq 0 "$REFINE"); do # the first surveys the documents
	step "refined-$round"
done
case "$steps " in
*" ${only:-round-1} "*) ;;
*)
	echo "there is no step $only: the steps are$steps" >&2
	exit 10
	;;
esac
[ -n "$only" ] || echo "the model is in $start"
