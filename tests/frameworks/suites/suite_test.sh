#!/usr/bin/env bash
# A suite that was written without Hocket, as a whole: bash suite_test.sh PROGRAM
set -euo pipefail
program=$(realpath "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
"$program" >output 2>&1 || { cat output; echo "FAILED: it fails without Hocket"; exit 1; }
env HOCKET_OUT="$scratch" "$program" --hocket_all_tests=10s >output 2>&1 || { cat output; echo "FAILED: exit status $?"; exit 1; }
cat output
! grep -E '^  .* (FAILED|skipped|not searched|too (long|slow|many threads))' output || { echo "FAILED: a test was not searched"; exit 1; }
[[ -z $(find . -name '*.schedule.json') ]] || { echo "FAILED: a schedule was saved"; exit 1; }
