#!/bin/sh
# Makes several passes by tasks as Jobs of Kubernetes: for each round an Indexed Job, and a Job that merges. The volumes are those of
# kubernetes.yaml, whose vocabulary.parquet is there; s3:// URLs in place of /data and /shards need none. The program is all that its image needs.
#
#   TASKS=16 PASSES=4 K=100 ./kubernetes-rounds.sh          applies and waits, round by round
#   TASKS=16 PASSES=4 K=100 ./kubernetes-rounds.sh ROUND    prints the two Jobs of a round
set -eu
TASKS=${TASKS:-16} PASSES=${PASSES:-4} K=${K:-100}

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

start() { # of a round
	[ "$1" -eq 1 ] || printf '%s\n' --start "/data/round-$(($1 - 1))"
}

tasks() { # ROUND
	printf '%s\n' sketch /shards -k "$K" --passes "$PASSES" --vocab /data/vocabulary.parquet --memory-limit 6GiB \
		--task "\$(INDEX)/$TASKS" -o "/data/sums-$1-\$(INDEX)" $(start "$1") |
		job "anchorage-sketch-$1" FailIndex "completionMode: Indexed" "completions: $TASKS" "parallelism: 8" \
			"backoffLimitPerIndex: 3" "maxFailedIndexes: 0"
}

merge() { # ROUND
	{
		printf '%s\n' merge
		number=0
		while [ "$number" -lt "$TASKS" ]; do
			echo "/data/sums-$1-$number"
			number=$((number + 1))
		done
		printf '%s\n' -o "/data/round-$1" $(start "$1")
	} | job "anchorage-merge-$1" FailJob "backoffLimit: 3"
}

if [ $# -gt 0 ]; then
	tasks "$1"
	echo ---
	merge "$1"
	exit
fi
round=1
while [ "$round" -le $((PASSES + 1)) ]; do # the last measures the evidence
	tasks "$round" | kubectl apply -f -
	kubectl wait --for=condition=complete --timeout=24h "job/anchorage-sketch-$round"
	merge "$round" | kubectl apply -f -
	kubectl wait --for=condition=complete --timeout=24h "job/anchorage-merge-$round"
	round=$((round + 1))
done
echo "rectify /data/round-$((PASSES + 1)) and anchor its factor, as kubernetes.yaml does"
