#!/bin/sh
# Starts and stops svc-runner@1, svc-runner@2, ... so that as many run as the location wants. For a timer, every 30 s or so.
# Usage: scale-runners.sh METRICS_URL LOCATION_ID MAX
set -eu

fail() {
  echo "scale-runners: $1" >&2
  exit 1
}

[ $# -eq 3 ] || fail "expected three arguments: METRICS_URL LOCATION_ID MAX"
url=$1 location=$2 max=$3
case $max in '' | *[!0-9]* | 0*) fail "MAX is \"$max\"; expected a whole number from 1 on" ;; esac
case $location in loc_*) ;; *) fail "LOCATION_ID is \"$location\"; expected loc_..." ;; esac

metrics=$(curl -fsS --max-time 10 "$url") || fail "$url can't be read; nothing was changed"
wanted=$(printf '%s\n' "$metrics" | sed -n "s/^svc_location_wanted_runners{location=\"$location\",.*} \([0-9][0-9]*\)$/\1/p")
# No number is no reason to stop agents.
[ -n "$wanted" ] || fail "$url has no svc_location_wanted_runners of $location; nothing was changed"
# One stays, so that the first check of the location does not wait for the timer.
[ "$wanted" -ge 1 ] || wanted=1
if [ "$wanted" -gt "$max" ]; then
  echo "scale-runners: $location wants $wanted runners; MAX is $max" >&2
  wanted=$max
fi

number=1
while [ "$number" -le "$max" ]; do
  # Stopping drains the agent; --no-block, so that several drain at once.
  if [ "$number" -le "$wanted" ]; then action=start; else action=stop; fi
  systemctl "$action" --no-block "svc-runner@$number"
  number=$((number + 1))
done
