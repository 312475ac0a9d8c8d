#!/bin/sh
# Submits several passes by tasks to AWS Batch, or a queue with its commands, of a sketch and then of a refinement of its topics: for each round an
# array job and a merge, of which each waits for the one before. REFINE is how many passes follow the survey of the refinement, or "none". SHARDS and
# WORK are s3:// URLs. DEFINITION is a job definition whose image has a shell and the program, whose role may read and write these, and whose
# retryStrategy repeats what ends with other codes than 10, 11, 12 and 14.
#
#   QUEUE=spot DEFINITION=anchorage:3 TASKS=16 PASSES=4 REFINE=10 SHARDS=s3://data/shards/ WORK=s3://data/work K=100 ./aws-batch.sh
set -eu
: "${QUEUE:?}" "${DEFINITION:?}" "${TASKS:?how many tasks, 2 or more}" "${SHARDS:?}" "${WORK:?}" "${K:?how many topics}"
PASSES=${PASSES:-4} after= start=
[ "$PASSES" -ge 2 ] || { echo "PASSES is $PASSES: make 2 passes or more; README.md has the recipes for one pass" >&2; exit 10; }

submit() { # NAME COMMAND [OPTION...]; the command is one of a shell, without quotes and backslashes
	name=$1 command=$2
	shift 2
	after=$(aws batch submit-job --job-name "$name" --job-queue "$QUEUE" --job-definition "$DEFINITION" ${after:+--depends-on "jobId=$after"} "$@" \
		--container-overrides "{\"command\": [\"sh\", \"-ec\", \"$command\"]}" --query jobId --output text)
}

rounds() { # NAME FIRST LAST COMMAND: each starts from the one before
	round=$2
	while [ "$round" -le "$3" ]; do
		submit "$1-$round" "anchorage $4 $start --task \$AWS_BATCH_JOB_ARRAY_INDEX/$TASKS -o $WORK/sums-$1-$round-\$AWS_BATCH_JOB_ARRAY_INDEX" \
			--array-properties "size=$TASKS"
		sums= number=0
		while [ "$number" -lt "$TASKS" ]; do
			sums="$sums $WORK/sums-$1-$round-$number"
			number=$((number + 1))
		done
		submit "merge-$1-$round" "anchorage merge$sums $start -o $WORK/$1-$round"
		start="--start $WORK/$1-$round" round=$((round + 1))
	done
}

submit vocab "anchorage vocab $SHARDS -o $WORK/vocabulary.parquet --replace" # an earlier attempt may have written the same
rounds round 1 $((PASSES + 1)) "sketch $SHARDS -k $K --passes $PASSES --vocab $WORK/vocabulary.parquet" # the last measures the evidence
submit rectify "anchorage rectify ${start#--start } -o $WORK/factor"
submit anchor "anchorage anchor $WORK/factor -o $WORK/model"
start="--start $WORK/model"
[ "${REFINE:=10}" = none ] || rounds refined 0 "$REFINE" "refine $SHARDS" # the first surveys the documents
echo "the last job is $after; the model will be in ${start#--start }"
