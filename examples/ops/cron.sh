#!/usr/bin/env bash
# Updates a store from cron, one run at a time. A line of /etc/cron.d/anchorage, which names the user that runs it (that
# of crontab -e does not), for every night at 2:30:
#
#   30 2 * * *  anchorage  /usr/local/lib/anchorage/cron.sh
#
# It is silent when all is well, so that cron sends mail only when somebody has to act.
set -uo pipefail

STORE=${STORE:-/var/lib/anchorage/shop.store}
SHARDS=${SHARDS:-/srv/shop/shards}
METRICS=${METRICS:-/var/lib/node_exporter/textfile/anchorage-shop.prom}
LOG=${LOG:-/var/log/anchorage/shop.log}
LOCK=${LOCK:-/var/lock/anchorage-shop}
ATTEMPTS=${ATTEMPTS:-3}
PAUSE=${PAUSE:-600}
ANCHORAGE=${ANCHORAGE:-anchorage}

# The lock lasts as long as this script: it is that of the open file, which no crash can leave behind.
exec 9>"$LOCK" || exit 1
if ! flock --nonblock 9; then
	echo "the last update still runs: this one is left out" >&2
	exit 14
fi

for ((attempt = 1; ; attempt++)); do
	code=0
	# The update must not hold the lock longer than this script: 9>&- closes it for the program.
	"$ANCHORAGE" update "$STORE" "$SHARDS" --retain 14 --require settled,found_again=0.8 \
		--metrics-file "$METRICS" --job-name shop >>"$LOG" 2>&1 9>&- || code=$?
	case $code in
	0 | 99) exit 0 ;;  # done, or nothing new
	1 | 13) ;;         # may pass by itself
	3 | 15) break ;;   # complete, but somebody should look
	*) break ;;
	esac
	((attempt < ATTEMPTS)) || break
	sleep "$PAUSE"
done
echo "anchorage update ended with code $code after $attempt attempts; the end of $LOG:" >&2
tail -n 5 "$LOG" >&2
exit "$code"
