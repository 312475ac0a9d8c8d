#!/bin/sh
# Submits several passes by tasks to AWS Batch, or a queue with its commands: for each round an array job and a merge, of which each waits for the
# one before. SHARDS and WORK are s3:// URLs. DEFINITION is a job definition whose image has a shell and the program, whose role may read and write
# these, and whose retryStrategy repeats what ends with other codes than 10, 11, 12 and 14.
#
#   QUEUE=spot DEFINITION=anchorage:3 TASKS=16 PASSES=4 SHARDS=s3://data/shards/ WORK=s3://data/work K=100 ./aws-batch.sh
set -eu
: "${QUEUE:?}" "${DEFINITION:?}" "${TASKS:?how many tasks, 2 or more}" "${SHARDS:?}" "${WORK:?}" "${K:?how many topics}"
PASSES=${PASSES:-4}
after=

submit() { # NAME COMMAND [OPTION...]; the command is one of a shell, without quotes and backslashes
	name=$1 command=$2
	shift 2
	after=$(aws batch submit-job --job-name "$name" --job-queue "$QUEUE" --job-definition "$DEFINITION" ${after:+--depends-on "jobId=$after"} "$@" \
		--container-overrides "{\"command\": [\"sh\", \"-ec\", \"$command\"]}" --query jobId --output text)
}

submit vocab "anchorage vocab $SHARDS -o $WORK/vocabulary.parquet || [ \$? = 14 ]" # 14: an earlier attempt has written it
round=1 start=
while [ "$round" -le $((PASSES + 1)) ]; do # the last measures the evidence
	submit "sketch-$round" "anchorage sketch $SHARDS -k $K --passes $PASSES --vocab $WORK/vocabulary.parquet $start --task \$AWS_BATCH_JOB_ARRAY_INDEX/$TASKS -o $WORK/sums-$round-\$AWS_BATCH_JOB_ARRAY_INDEX" \
		--array-properties "size=$TASKS"
	sums= number=0
	while [ "$number" -lt "$TASKS" ]; do
		sums="$sums $WORK/sums-$round-$number"
		number=$((number + 1))
	done
	submit "merge-$round" "anchorage merge$sums $start -o $WORK/round-$round || [ \$? = 14 ]"
	start="--start $WORK/round-$round"
	round=$((round + 1))
done
submit rectify "anchorage rectify $WORK/round-$((PASSES + 1)) -o $WORK/factor || [ \$? = 14 ]"
submit anchor "anchorage anchor $WORK/factor -o $WORK/model || [ \$? = 14 ]"
echo "the last job is $after; the model will be in $WORK/model"
