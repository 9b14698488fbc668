#!/usr/bin/env bash
# Installs svc for the steps that follow, beside whatever the machine has.
set -euo pipefail
npm install --global --prefix "$RUNNER_TEMP/svc" --no-audit --no-fund "$SVC_CLI"
echo "$RUNNER_TEMP/svc/bin" >> "$GITHUB_PATH"
