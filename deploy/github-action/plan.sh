#!/usr/bin/env bash
# Writes the plan to a file and to the summary of the run. What its exit code says (drift, a limit) is judged once the plan is shown.
set -euo pipefail
plan="$RUNNER_TEMP/svc-plan.md"
code=0
svc diff --format markdown > "$plan" || code=$?
echo "plan=$plan" >> "$GITHUB_OUTPUT"
echo "exit=$code" >> "$GITHUB_OUTPUT"
# 0 done, 3 a limit would be exceeded, 5 somebody changed something on the service; without a plan there is nothing to show.
case "$code" in 0 | 3 | 5) cat "$plan" >> "$GITHUB_STEP_SUMMARY" ;; *) exit "$code" ;; esac
