#!/usr/bin/env bash
# Runs the monitors; a failure is shown beside its line of the config, and the report is there in either case.
set -euo pipefail
report="$RUNNER_TEMP/svc-test.xml"
echo "report=$report" >> "$GITHUB_OUTPUT"
svc test --reporter junit --output "$report"
